// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The request of one attempt, as interceptors left it.
struct AdaptedRequest {
    var request: URLRequest
    /// The header fields that they set, which do not leave the request's origin. Names in small letters.
    var confinedFields: Set<[UInt8]> = []
}

/// The record of an operation's attempts, and its state between them. Guarded by the operation's lock.
final class RetryState {
    /// Those that failed and were followed by another.
    var attempts: [TransferMetrics.Attempt] = []
    /// Seconds before the present one.
    var delay: TimeInterval = 0
    /// Attempts that do not count, because they did not reach the server: see `RetryPolicy.waitsForConnectivity`.
    var uncounted = 0
    /// The time when the latest attempt ended that had a response, in seconds since 1970. A response that was stored
    /// until then does not answer another attempt.
    private(set) var rejectionTime: Double?
    /// Nil: the operation's own request.
    var adapted: AdaptedRequest?
    /// The hook that is running.
    var task: Task<Void, Never>?
    /// The operation, while it waits and perhaps no other object holds it.
    var hold: URLConnectionOperation?
    /// The notes of each `TokenRefresher` on the operation.
    var tokens: [ObjectIdentifier: TokenUse] = [:]
    /// True while the known response is an earlier attempt's.
    private var isOutdated = false

    /// An attempt failed, and another follows.
    ///
    /// - Parameter time: in seconds since 1970.
    func append(_ attempt: TransferMetrics.Attempt, isCounted: Bool, delay: TimeInterval, at time: Double) {
        attempts.append(attempt)
        if attempt.error == nil { rejectionTime = time }
        if !isCounted { uncounted += 1 }
        self.delay = delay
        adapted = nil
        isOutdated = true
    }

    /// The next attempt begins: what the one before received counts no more.
    func forget(_ received: inout URLConnectionOperation.ReceivedResponse) {
        guard isOutdated else { return }
        isOutdated = false
        received.head = nil
        received.url = nil
        received.response = nil
        received.trailers = []
        received.string = nil
    }

    /// The operation ends. Returns the hook to cancel, and the operation to release outside the lock.
    func end() -> (task: Task<Void, Never>?, hold: URLConnectionOperation?) {
        adapted = nil
        tokens = [:]
        return (task.take(), hold.take())
    }
}
