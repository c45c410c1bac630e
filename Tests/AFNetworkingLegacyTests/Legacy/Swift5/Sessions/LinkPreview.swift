// SPDX-License-Identifier: MIT

// Follows redirects by hand, and stops when it has seen enough.
import AFNetworking

class LinkPreview {
    let manager = AFURLSessionManager(sessionConfiguration: .default)
    private(set) var hops: [String] = []
    private(set) var received = 0

    init(followsRedirects: Bool, maximumSize: Int64 = .max) {
        manager.responseSerializer = AFHTTPResponseSerializer()
        manager.setTaskWillPerformHTTPRedirectionBlock { session, task, response, request in
            self.hops.append(request.url?.path ?? "")
            return followsRedirects ? request : nil
        }
        manager.setDataTaskDidReceiveResponseBlock { session, task, response in
            return response.expectedContentLength > maximumSize ? .cancel : .allow
        }
        manager.setDataTaskDidReceiveDataBlock { session, task, data in
            self.received += data.count
        }
    }

    func load(_ url: URL, completion: @escaping (URLResponse, Data?, Error?) -> Void) {
        let task = manager.dataTask(with: URLRequest(url: url)) { response, responseObject, error in
            completion(response, responseObject as? Data, error)
        }
        task.resume()
    }
}
