// SPDX-License-Identifier: MIT

// Looks at operations from outside: polls, waits for a queue, and keeps notes in `userInfo`.
import AFNetworking

class LinkChecker {
    let queue = OperationQueue()
    private(set) var results: [Int: Int] = [:]

    init() {
        queue.maxConcurrentOperationCount = 2
    }

    func check(_ urls: [URL]) -> [AFHTTPRequestOperation] {
        var operations: [AFHTTPRequestOperation] = []
        for (index, url) in urls.enumerated() {
            var request = URLRequest(url: url)
            request.httpMethod = "HEAD"
            let operation = AFHTTPRequestOperation(request: request)
            operation.userInfo = ["index": index, "url": url]
            operation.completionQueue = DispatchQueue.global()
            operations.append(operation)
            queue.addOperation(operation)
        }
        return operations
    }

    /// Blocks: for the background.
    func checkAndWait(_ urls: [URL]) -> [Int: Int] {
        let operations = check(urls)
        queue.waitUntilAllOperationsAreFinished()
        for operation in operations {
            let index = operation.userInfo["index"] as! Int
            results[index] = operation.response?.statusCode ?? -1
        }
        return results
    }

    /// Blocks, and looks now and then: for the background.
    func poll(_ url: URL) -> String? {
        let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
        operation.completionQueue = DispatchQueue.global()
        operation.start()
        let deadline = Date(timeIntervalSinceNow: 10)
        while !operation.isFinished && deadline.timeIntervalSinceNow > 0 {
            Thread.sleep(forTimeInterval: 0.01)
        }
        if operation.isExecuting || operation.isCancelled || operation.error != nil {
            return nil
        }
        return operation.responseString
    }
}
