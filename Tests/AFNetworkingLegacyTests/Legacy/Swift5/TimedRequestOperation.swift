// SPDX-License-Identifier: MIT

// A subclassed operation, and a manager that makes its operations of that class.
import AFNetworking

class TimedRequestOperation: AFHTTPRequestOperation, @unchecked Sendable {
    private(set) var startDate: Date?
    private(set) var cancelCount = 0
    var tag: Int = 0

    override func start() {
        if startDate == nil {
            startDate = Date()
        }
        super.start()
    }

    override func cancel() {
        cancelCount += 1
        super.cancel()
    }

    override var response: HTTPURLResponse? {
        return super.response
    }

    override func copy(with zone: NSZone? = nil) -> Any {
        let operation = super.copy(with: zone)
        (operation as? TimedRequestOperation)?.tag = tag
        return operation
    }
}

class TimedClient: AFHTTPRequestOperationManager, @unchecked Sendable {
    private(set) var requestedURLs: [URL] = []

    override func httpRequestOperation(
        with request: URLRequest, success: ((AFHTTPRequestOperation, Any?) -> Void)?,
        failure: ((AFHTTPRequestOperation, Error) -> Void)? = nil
    ) -> AFHTTPRequestOperation {
        let operation = TimedRequestOperation(request: request)
        operation.responseSerializer = responseSerializer
        operation.shouldUseCredentialStorage = shouldUseCredentialStorage
        operation.credential = credential
        operation.securityPolicy = securityPolicy
        operation.setCompletionBlockWithSuccess(success, failure: failure)
        operation.completionQueue = completionQueue
        operation.completionGroup = completionGroup
        if let url = request.url {
            requestedURLs.append(url)
        }
        return operation
    }
}
