// SPDX-License-Identifier: MIT

// Keeps responses longer than the server says, by the request that was sent.
import AFNetworking

class CacheKeeper {
    private(set) var storedPaths: [String] = []

    func load(_ url: URL, completion: @escaping (String?) -> Void) {
        let operation = AFHTTPRequestOperation(request: NSURLRequest(url: url))
        operation.setCacheResponseBlock { (connection: NSURLConnection, cachedResponse: CachedURLResponse) in
            self.storedPaths.append(connection.currentRequest.url?.path ?? "")
            guard connection.currentRequest.cachePolicy == .useProtocolCachePolicy else { return nil }
            return CachedURLResponse(
                response: cachedResponse.response, data: cachedResponse.data, userInfo: ["kept": true],
                storagePolicy: .allowedInMemoryOnly)
        }
        operation.setCompletionBlockWithSuccess(
            { operation, _ in
                completion(operation.responseString)
            },
            failure: { _, _ in
                completion(nil)
            })
        OperationQueue.main.addOperation(operation)
    }
}
