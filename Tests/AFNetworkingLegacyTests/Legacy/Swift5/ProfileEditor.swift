// SPDX-License-Identifier: MIT

// JSON in both directions, with the errors that the server writes.
import AFNetworking

class ProfileEditor {
    enum Result {
        case saved([String: Any])
        case refused(String, Int)
    }

    private let manager: AFHTTPRequestOperationManager

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
        manager.requestSerializer = AFJSONRequestSerializer(writingOptions: .sortedKeys)
        let serializer = AFJSONResponseSerializer()
        serializer.removesKeysWithNullValues = true
        manager.responseSerializer = serializer
    }

    func save(_ changes: [String: Any], completion: @escaping (Result) -> Void) {
        manager.patch(
            "profile", parameters: changes,
            success: { operation, responseObject in
                completion(.saved(responseObject as! [String: Any]))
            },
            failure: { operation, error in
                let error = error as NSError
                let data = error.userInfo[AFNetworkingOperationFailingURLResponseDataErrorKey] as? Data ?? Data()
                let json = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
                completion(.refused(json?["message"] as? String ?? "?", operation?.response?.statusCode ?? 0))
            })
    }
}
