// SPDX-License-Identifier: MIT

// One request after the other: the second is made of what the first brought.
import AFNetworking

class OrderChain: @unchecked Sendable {
    private let queue = OperationQueue()
    private let base: URL
    private(set) var steps: [String] = []

    init(baseURL: URL) {
        base = baseURL
        queue.maxConcurrentOperationCount = 1
    }

    func order(_ item: String, completion: @escaping (String?) -> Void) {
        let login = AFHTTPRequestOperation(request: URLRequest(url: base.appendingPathComponent("login")))
        login.responseSerializer = AFJSONResponseSerializer()
        let finish = BlockOperation { [unowned login] in
            let token = (login.responseObject as? [String: Any])?["token"] as? String ?? ""
            var request = URLRequest(url: self.base.appendingPathComponent("orders/\(item)"))
            request.httpMethod = "POST"
            request.setValue(token, forHTTPHeaderField: "X-Token")
            let order = AFHTTPRequestOperation(request: request)
            order.setCompletionBlockWithSuccess(
                { operation, _ in
                    self.steps.append("ordered")
                    completion(operation.responseString)
                },
                failure: { _, _ in
                    completion(nil)
                })
            self.queue.addOperation(order)
        }
        finish.addDependency(login)
        queue.addOperation(login)
        queue.addOperation(finish)
    }
}
