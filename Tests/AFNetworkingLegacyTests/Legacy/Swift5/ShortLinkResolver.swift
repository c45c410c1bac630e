// SPDX-License-Identifier: MIT

// Where a link leads: the redirects are noted, or not followed.
import AFNetworking

class ShortLinkResolver {
    private(set) var hops: [String] = []

    func resolve(_ url: URL, completion: @escaping (URL?, Int) -> Void) {
        let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
        operation.setRedirectResponseBlock {
            (connection: NSURLConnection, request: URLRequest, redirectResponse: URLResponse?) -> URLRequest in
            if let response = redirectResponse as? HTTPURLResponse {
                self.hops.append("\(response.statusCode) \(request.url?.path ?? "")")
            }
            return request
        }
        operation.setCompletionBlockWithSuccess(
            { operation, _ in
                completion(operation.response?.url, operation.response?.statusCode ?? 0)
            },
            failure: { operation, _ in
                completion(nil, operation.response?.statusCode ?? 0)
            })
        OperationQueue.main.addOperation(operation)
    }

    func firstTarget(of url: URL, completion: @escaping (String?) -> Void) {
        let operation = AFHTTPRequestOperation(request: NSURLRequest(url: url))
        operation.setRedirectResponseBlock { _, request, redirectResponse in
            return redirectResponse == nil ? request : nil
        }
        operation.responseSerializer.acceptableStatusCodes = IndexSet(integersIn: 300..<400)
        operation.setCompletionBlockWithSuccess(
            { operation, _ in
                completion(operation.response?.allHeaderFields["Location"] as? String)
            }, failure: { _, _ in completion(nil) })
        operation.start()
    }
}
