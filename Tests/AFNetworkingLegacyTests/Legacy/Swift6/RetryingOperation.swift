// SPDX-License-Identifier: MIT

// A subclassed operation with state of its own, behind a lock, which sends itself again as a copy.
import AFNetworking

final class RetryingOperation: AFHTTPRequestOperation, @unchecked Sendable {
    private let stateLock = NSLock()
    private var attempt = 1

    var attemptNumber: Int {
        stateLock.lock()
        defer { stateLock.unlock() }
        return attempt
    }

    override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        if let copy = copy as? RetryingOperation {
            copy.stateLock.lock()
            copy.attempt = attemptNumber + 1
            copy.stateLock.unlock()
        }
        return copy
    }

    static func run(
        _ operation: RetryingOperation, attempts: Int,
        completion: @escaping @Sendable (RetryingOperation, Error?) -> Void
    ) {
        operation.setCompletionBlockWithSuccess { operation, _ in
            if let operation = operation as? RetryingOperation { completion(operation, nil) }
        } failure: { operation, error in
            guard let operation = operation as? RetryingOperation else { return }
            let isTemporary = operation.response?.statusCode == 503
            if isTemporary, operation.attemptNumber < attempts, let copy = operation.copy() as? RetryingOperation {
                run(copy, attempts: attempts, completion: completion)
            } else {
                completion(operation, error)
            }
        }
        operation.start()
    }
}
