// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// The URL of nothing: an operation for it ends without a connection, on the thread that starts it.
let unsupportedURL = URL(fileURLWithPath: "/unsupported")

extension HTTPRequestOperation {
    /// An operation whose completion does not go over the main queue.
    static func make(
        _ url: URL = unsupportedURL, method: String = "GET",
        completionQueue: DispatchQueue = DispatchQueue(label: "test")
    ) -> HTTPRequestOperation {
        var request = URLRequest(url: url)
        request.httpMethod = method
        let operation = HTTPRequestOperation(request: request)
        operation.completionQueue = completionQueue
        return operation
    }
}

extension OperationQueue {
    /// Adds operations and returns, also from tasks.
    func enqueue(_ operations: [Operation]) {
        addOperations(operations, waitUntilFinished: false)
    }
}

extension URLConnectionOperation {
    /// Waits until the completion blocks have returned.
    func completed() async {
        await withCheckedContinuation { continuation in
            if !afterCompletion({ _ in continuation.resume() }) { continuation.resume() }
        }
    }

    /// Starts the operation, and waits until its completion blocks have returned.
    func run() async {
        start()
        await completed()
    }

    /// Waits until the operation is finished, whatever becomes of its completion blocks.
    func finished() async {
        await withCheckedContinuation { continuation in
            whenFinished { continuation.resume() }
        }
    }

    /// What the error names as its cause.
    var underlyingError: NSError? { (error as NSError?)?.underlying }
    var isCancelledError: Bool { (error as? URLError)?.code == .cancelled }
    var errorCode: Int? { (error as NSError?)?.code }
}

extension NSError {
    /// On Linux a Swift error in user info is not an `NSError` by itself.
    var underlying: NSError? { (userInfo[NSUnderlyingErrorKey] as? any Error) as NSError? }
}

/// Counts how an operation ends.
final class Endings: Sendable {
    let finishes = Tally()
    let completions = Tally()
    let transitions = Recorder<OperationState>()
    let observation: Recorder<OperationStateObservation>

    init(_ operation: URLConnectionOperation) {
        observation = Recorder()
        observation.append(
            operation.observeState { [finishes, transitions] _, new in
                transitions.append(new)
                if new == .finished { finishes.increment() }
            })
        operation.completionBlock = { [completions] in completions.increment() }
    }

    /// Waits for the first of each: observers and completion blocks are told on different threads.
    func reached() async {
        try? await eventually("an end") { finishes.value > 0 && completions.value > 0 }
    }
}

/// An operation whose instances are counted.
final class CountedOperation: HTTPRequestOperation, @unchecked Sendable {
    private static let census = Locked<(next: Int, alive: Set<Int>)>((0, []))
    private let number = census.withLock { census in
        census.alive.insert(census.next)
        census.next += 1
        return census.next - 1
    }

    /// Where the instances begin that are made from now on.
    static var mark: Int { census.withLock(\.next) }

    /// The number of instances that exist, of those that were made after `mark` was taken: what an earlier test has not
    /// released yet does not count.
    static func alive(since mark: Int = 0) -> Int { census.withLock { $0.alive.count { $0 >= mark } } }

    deinit { _ = Self.census.withLock { $0.alive.remove(number) } }
}
