// SPDX-License-Identifier: MIT
import AFNetworking
import Dispatch

/// How a request ended, as blocks of the old spelling told.
// Sendable because nobody touches the objects any more: the operation is finished.
struct Outcome: @unchecked Sendable {
    var operation: AFHTTPRequestOperation?
    var object: AnyObject?
    var error: NSError?

    var status: Int? { operation?.response?.statusCode }
}

extension AFHTTPRequestOperationManager {
    typealias OldSuccess = @Sendable (AFHTTPRequestOperation, AnyObject?) -> Void
    typealias OldFailure = @Sendable (AFHTTPRequestOperation?, NSError) -> Void

    /// A manager whose blocks do not go over the main queue.
    static func offMain(_ baseURL: URL?) -> AFHTTPRequestOperationManager {
        let manager = AFHTTPRequestOperationManager(baseURL: baseURL)
        manager.completionQueue = DispatchQueue(label: "test.completion")
        return manager
    }

    /// Sends a request, and waits for its one block.
    func outcome(
        _ send: (@escaping OldSuccess, @escaping OldFailure) -> AFHTTPRequestOperation?
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            _ = send(
                { continuation.resume(returning: Outcome(operation: $0, object: $1)) },
                { continuation.resume(returning: Outcome(operation: $0, error: $1)) })
        }
    }
}

extension AFHTTPRequestOperation {
    /// Starts the operation, and waits for its one block.
    func outcome() async -> Outcome {
        completionQueue = completionQueue ?? DispatchQueue(label: "test.completion")
        return await withCheckedContinuation { continuation in
            setCompletionBlockWithSuccess(
                { (operation: AFHTTPRequestOperation, object: AnyObject?) in
                    continuation.resume(returning: Outcome(operation: operation, object: object))
                },
                failure: { (operation: AFHTTPRequestOperation, error: NSError) in
                    continuation.resume(returning: Outcome(operation: operation, error: error))
                })
            start()
        }
    }
}
