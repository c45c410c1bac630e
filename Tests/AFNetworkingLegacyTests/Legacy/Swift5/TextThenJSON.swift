// SPDX-License-Identifier: MIT

// A server that answers JSON with any content type, or text.
import AFNetworking

class AnyJSONResponseSerializer: AFJSONResponseSerializer, @unchecked Sendable {
    override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        do {
            return try super.responseObject(for: response, data: data)
        } catch {
            guard let data = data, let text = String(data: data, encoding: .utf8), !text.isEmpty else { throw error }
            return ["text": text]
        }
    }
}

class TextThenJSON {
    func load(_ url: URL, completion: @escaping ([String: Any]?) -> Void) {
        let manager = AFHTTPRequestOperationManager()
        let serializer = AnyJSONResponseSerializer()
        serializer.acceptableContentTypes = nil
        manager.responseSerializer = serializer
        manager.get(
            url.absoluteString, parameters: nil,
            success: { _, responseObject in
                completion(responseObject as? [String: Any])
            }, failure: { _, _ in completion(nil) })
    }
}
