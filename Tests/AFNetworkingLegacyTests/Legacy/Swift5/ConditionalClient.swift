// SPDX-License-Identifier: MIT

// Loads a list only if it has changed: keeps the entity tag itself, or leaves that to the URL cache.
import AFNetworking

class ConditionalClient: AFHTTPRequestOperationManager, @unchecked Sendable {
    private(set) var tags: [String: String] = [:]
    private(set) var lists: [String: [Any]] = [:]

    /// By the manager's serializer, whose fields stay.
    func reload(_ path: String, completion: @escaping (_ status: Int, _ list: [Any]?) -> Void) {
        requestSerializer.setValue(tags[path], forHTTPHeaderField: "If-None-Match")
        get(
            path, parameters: nil,
            success: { operation, responseObject in
                // As Foundation spells it, on Apple's systems and here.
                self.tags[path] = operation.response?.allHeaderFields["Etag"] as? String
                self.lists[path] = responseObject as? [Any]
                completion(operation.response?.statusCode ?? 0, self.lists[path])
            },
            failure: { operation, error in
                // 304 is no acceptable status of the serializer's.
                completion(operation?.response?.statusCode ?? 0, self.lists[path])
            })
    }

    /// By a request of its own, with a serializer that takes a 304.
    func check(_ url: URL, tag: String, completion: @escaping (_ status: Int, _ length: Int?, _ error: Error?) -> Void)
    {
        let request = NSMutableURLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 10)
        request.setValue(tag, forHTTPHeaderField: "If-None-Match")
        let operation = AFHTTPRequestOperation(request: request as URLRequest)
        let codes = NSMutableIndexSet(indexesIn: NSRange(location: 200, length: 100))
        codes.add(304)
        operation.responseSerializer = AFHTTPResponseSerializer()
        operation.responseSerializer.acceptableStatusCodes = codes as IndexSet
        operation.setCompletionBlockWithSuccess(
            { operation, _ in
                completion(operation.response?.statusCode ?? 0, operation.responseData?.count, nil)
            },
            failure: { operation, error in
                completion(operation.response?.statusCode ?? 0, nil, error)
            })
        operationQueue.addOperation(operation)
    }

    /// What the cache has counts as long as the server says so: nobody but the cache sees the 304.
    func cached(_ path: String, completion: @escaping (_ status: Int, _ list: [Any]?) -> Void) {
        requestSerializer.cachePolicy = .useProtocolCachePolicy
        get(
            path, parameters: nil,
            success: { operation, responseObject in
                completion(operation.response?.statusCode ?? 0, responseObject as? [Any])
            },
            failure: { operation, _ in
                completion(operation?.response?.statusCode ?? 0, nil)
            })
    }
}
