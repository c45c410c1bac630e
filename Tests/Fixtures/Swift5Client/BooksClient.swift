// SPDX-License-Identifier: MIT
import AFNetworking

// A client as programs of the Swift 5 language mode have them. The target treats warnings as errors: that it builds is
// a test.

/// The client says nothing of concurrency, but for what every subclass of a Sendable class has to restate.
package class BooksClient: AFHTTPRequestOperationManager, @unchecked Sendable {
    package typealias Success = (AFHTTPRequestOperation, Any) -> Void
    package typealias Failure = (AFHTTPRequestOperation?, Error) -> Void

    package private(set) var requestCount = 0
    private var titles: [String] = []

    package override init(baseURL url: URL?) {
        super.init(baseURL: url)
        requestSerializer.timeoutInterval = 20
        responseSerializer.acceptableContentTypes = ["application/json"]
    }

    package required init?(coder aDecoder: NSCoder) {
        super.init(coder: aDecoder)
    }

    package override func httpRequestOperation(
        with request: URLRequest, success: ((AFHTTPRequestOperation, Any?) -> Void)?,
        failure: ((AFHTTPRequestOperation, Error) -> Void)?
    ) -> AFHTTPRequestOperation {
        requestCount += 1
        return super.httpRequestOperation(with: request, success: success, failure: failure)
    }

    /// Hands function values on.
    package func load(_ path: String, success: Success?, failure: Failure?) {
        get(path, parameters: nil, success: success, failure: failure)
    }

    /// Hands function values on to the old spelling.
    package func loadOld(
        _ path: String, success: ((AFHTTPRequestOperation?, AnyObject?) -> Void)?,
        failure: ((AFHTTPRequestOperation?, NSError?) -> Void)?
    ) {
        GET(path, parameters: nil, success: success, failure: failure)
    }

    /// Uses function values, variables and properties in blocks.
    package func save(_ title: String, completion: @escaping (Int, Error?) -> Void) {
        var attempts = 0
        post(
            "books", parameters: ["title": title],
            success: { operation, object in
                attempts += 1
                self.titles.append(title)
                completion(self.titles.count, nil)
            },
            failure: { operation, error in
                attempts += 1
                completion(attempts, error)
            })
    }

    /// Makes an operation itself.
    package func read(_ path: String, completion: @escaping (String?, Int64) -> Void) {
        guard let url = URL(string: path, relativeTo: baseURL) else { return completion(nil, 0) }
        let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
        operation.completionQueue = completionQueue
        var received: Int64 = 0
        operation.setDownloadProgressBlock { _, total, _ in received = total }
        operation.setRedirectResponseBlock { [self] _, request, _ in
            requestCount += 1
            return request
        }
        operation.setCompletionBlockWithSuccess(
            { operation, _ in completion(operation.responseString, received) },
            failure: { _, _ in completion(nil, received) })
        operation.start()
    }
}

/// A screen takes methods as blocks.
package class BooksScreen {
    private let client: BooksClient
    private let finished: ([String]) -> Void
    private var log: [String] = []

    package init(client: BooksClient, finished: @escaping ([String]) -> Void) {
        self.client = client
        self.finished = finished
    }

    package func show() {
        client.get("books", parameters: nil, success: loaded, failure: failed)
        client.GET("books", parameters: nil, success: loadedOld, failure: failedOld)
    }

    private func note(_ entry: String) {
        log.append(entry)
        if log.count == 2 { finished(log.sorted()) }
    }

    private func loaded(_ operation: AFHTTPRequestOperation, _ object: Any) { note("new \(object is NSDictionary)") }
    private func failed(_ operation: AFHTTPRequestOperation?, _ error: Error) { note("new \(error)") }
    private func loadedOld(_ operation: AFHTTPRequestOperation!, _ object: AnyObject!) {
        note("old \(object is NSDictionary)")
    }
    private func failedOld(_ operation: AFHTTPRequestOperation!, _ error: NSError!) { note("old \(error.code)") }
}
