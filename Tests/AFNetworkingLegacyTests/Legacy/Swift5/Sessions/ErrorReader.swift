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

    /// What is to be done about an error, as a number: -1 for none, the code for one that nobody knows.
    func advice(_ error: Error?) -> Int {
        switch error {
        case nil: return -1
        case let error as NSError where error.domain == AFURLResponseSerializationErrorDomain:
            return error.code == NSURLErrorBadServerResponse ? 1 : 2
        case let error as NSError where error.domain == NSURLErrorDomain && error.code == NSURLErrorCancelled: return 3
        case let error as NSError: return error.code
        }
    }

    func problem(of form: AFMultipartFormData, with file: URL) -> Int? {
        do {
            try form.appendPart(withFileURL: file, name: "file")
        } catch let error as NSError {
            return error.code
        }
        return nil
    }
}
