// SPDX-License-Identifier: MIT

// A server that wants its query its own way.
import AFNetworking

class FieldOrder {
    let manager: AFHTTPRequestOperationManager

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
        manager.responseSerializer = AFHTTPResponseSerializer()
        manager.requestSerializer.setQueryStringSerializationWith { request, parameters, error in
            guard let pairs = parameters as? [[String]] else {
                error?.pointee = NSError(domain: "FieldOrder", code: 1, userInfo: nil)
                return nil
            }
            return pairs.map { $0.joined(separator: "=") }.joined(separator: ";")
        }
    }

    func query(_ parameters: Any, completion: @escaping (Int?) -> Void) {
        manager.get(
            "q", parameters: parameters,
            success: { operation, _ in
                completion(operation.response?.statusCode)
            },
            failure: { operation, error in
                completion((error as NSError).code)
            })
    }
}
