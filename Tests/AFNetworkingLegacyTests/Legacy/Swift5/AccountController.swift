// SPDX-License-Identifier: MIT

// Requests in groups; the groups are cancelled when the user leaves a screen, or logs out.
import AFNetworking

class AccountController {
    let manager: AFHTTPRequestOperationManager
    private(set) var finished: [String] = []
    private(set) var cancelled: [String] = []
    let group = DispatchGroup()

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
        manager.responseSerializer = AFHTTPResponseSerializer()
    }

    func load(_ path: String, screen: String) {
        group.enter()
        let operation = manager.get(
            path, parameters: nil,
            success: { operation, _ in
                self.finished.append(operation.userInfo["screen"] as? String ?? "?")
                self.group.leave()
            },
            failure: { operation, error in
                if (error as NSError).domain == NSURLErrorDomain && (error as NSError).code == NSURLErrorCancelled {
                    self.cancelled.append(operation?.userInfo["screen"] as? String ?? "?")
                }
                self.group.leave()
            })
        operation?.userInfo = ["screen": screen]
    }

    func leave(screen: String) {
        let operations = manager.operationQueue.operations as! [AFHTTPRequestOperation]
        for operation in operations.filter({ $0.userInfo["screen"] as? String == screen }) {
            operation.cancel()
        }
    }

    func cancelRequests(method: String, path: String) {
        for operation in manager.operationQueue.operations {
            guard let operation = operation as? AFHTTPRequestOperation else { continue }
            let hasMethod = operation.request.httpMethod == method
            let hasPath = operation.request.url?.path == path
            if hasMethod && hasPath {
                operation.cancel()
            }
        }
    }

    func logOut(completion: @escaping () -> Void) {
        manager.operationQueue.cancelAllOperations()
        group.notify(queue: .main, execute: completion)
    }
}
