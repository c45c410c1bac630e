// SPDX-License-Identifier: MIT

// Shows the message that a server sends along with a bad status.
import AFNetworking

class ErrorReader {
    let manager: AFHTTPSessionManager

    init(baseURL: URL) {
        manager = AFHTTPSessionManager(baseURL: baseURL)
    }

    func load(_ path: String, completion: @escaping (_ status: Int?, _ message: String?, _ url: URL?) -> Void) {
        manager.get(
            path, parameters: nil, headers: nil, progress: nil,
            success: { _, _ in
                completion(nil, nil, nil)
            },
            failure: { task, error in
                let info = (error as NSError).userInfo
                let response = info[AFNetworkingOperationFailingURLResponseErrorKey] as? HTTPURLResponse
                let data = info[AFNetworkingOperationFailingURLResponseDataErrorKey] as? Data
                let json = data.flatMap { try? JSONSerialization.jsonObject(with: $0, options: []) } as? [String: Any]
                completion(response?.statusCode, json?["message"] as? String, task?.currentRequest?.url)
            })
    }
}
