// SPDX-License-Identifier: MIT

// Asks the connection what was sent, and what it began with.
import AFNetworking

class RedirectLog {
    private(set) var lines: [String] = []

    func follow(_ url: URL, completion: @escaping () -> Void) {
        let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
        operation.setRedirectResponseBlock { connection, request, redirectResponse in
            if redirectResponse != nil {
                let first = connection.originalRequest.url?.path ?? ""
                let now = connection.currentRequest.url?.path ?? ""
                self.lines.append("\(first): \(now) -> \(request.url?.path ?? "")")
            }
            return request
        }
        operation.setCompletionBlockWithSuccess({ _, _ in completion() }, failure: { _, _ in completion() })
        operation.start()
    }
}
