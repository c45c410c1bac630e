// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport

/// A caller that waits for a number of requests.
struct RequestWaiter: Sendable {
    let id: UInt
    let count: Int
    let continuation: CheckedContinuation<Bool, Never>
}

extension HTTPStubs {
    /// All requests so far, in the order in which they were made. Each redirect, answer to a challenge and retry is a
    /// separate one. Also those that no rule fitted.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// The requests that no rule fitted, in order.
    public var unmatchedRequests: [UnmatchedRequestError] { state.withLock { $0.unmatched } }

    /// The requests that a template fits.
    ///
    /// - Parameters:
    ///   - method: compared as it is; nil: any.
    ///   - urlTemplate: see ``URLTemplate``.
    public func requests(_ method: String?, _ urlTemplate: String) -> [RecordedRequest] {
        let rule = StubRule(method: method, template: URLTemplate(urlTemplate), headers: [:], predicate: nil) { _ in
            StubResponse()
        }
        return requests.filter { rule.mismatch(with: $0) == nil }
    }

    /// Waits until that many requests were made since the stubs were, or emptied.
    ///
    /// - Parameters:
    ///   - count: of them.
    ///   - timeout: seconds of the real clock after which waiting is given up; 10 by default.
    /// - Returns: the requests so far.
    /// - Throws: ``RequestWaitError`` when fewer had come by then; `CancellationError` when the task is cancelled.
    @discardableResult
    public func waitForRequests(_ count: Int, timeout: TimeInterval = 10) async throws -> [RecordedRequest] {
        let id = state.withLock { state -> UInt in
            state.lastWaiterID += 1
            return state.lastWaiterID
        }
        let alarm = Locked<Task<Void, any Error>?>(nil)
        defer { alarm.withLock { $0 }?.cancel() }
        let isThere = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let verdict = state.withLock { state -> Bool? in
                    if state.requests.count >= count { return true }
                    if Task.isCancelled { return false }
                    state.waiters.append(RequestWaiter(id: id, count: count, continuation: continuation))
                    return nil
                }
                if let verdict { return continuation.resume(returning: verdict) }
                // Not before the waiter whose waiting it ends is there.
                let task = Task.detached { [self] in
                    try await Task.sleep(for: .seconds(max(0, min(timeout, 1e6))))
                    endWaiting(id)
                }
                alarm.withLock { $0 = task }
            }
        } onCancel: {
            endWaiting(id)
        }
        guard !isThere else { return requests }
        try Task.checkCancellation()
        throw RequestWaitError(expected: count, requests: requests, timeout: timeout)
    }

    private func endWaiting(_ id: UInt) {
        let waiter = state.withLock { state -> RequestWaiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }
}

/// Fewer requests were made than a test waited for.
public struct RequestWaitError: Error, Sendable, LocalizedError, CustomStringConvertible {
    /// The number of requests that were waited for.
    public let expected: Int
    /// Those that came.
    public let requests: [RecordedRequest]
    /// Seconds that were waited.
    public let timeout: TimeInterval

    /// A sentence with the requests that were waited for, and those that came.
    public var description: String {
        let came = requests.isEmpty ? "none" : requests.map(\.description).joined(separator: ", ")
        return "\(expected) requests were waited for during \(timeout) seconds, and \(requests.count) came: \(came)"
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
