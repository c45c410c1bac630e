// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The request of one attempt, as interceptors left it.
struct AdaptedRequest {
    var request: URLRequest
    /// The header fields that they set, which do not leave the request's origin. Names in small letters.
    var confinedFields: Set<[UInt8]> = []
}

/// What an operation keeps of its attempts, and between them. Guarded by the operation's lock.
final class RetryState {
    /// Those that failed and were followed by another.
    var attempts: [TransferMetrics.Attempt] = []
    /// Seconds before the present one.
    var delay: TimeInterval = 0
    /// Attempts that do not count, because they did not reach the server: see `RetryPolicy.waitsForConnectivity`.
    var uncounted = 0
    /// When the latest one ended that had a response, in seconds since 1970: what was stored until then does not answer
    /// another.
    private(set) var rejectionTime: Double?
    /// Nil: as the operation's own.
    var adapted: AdaptedRequest?
    /// The hook that is running.
    var task: Task<Void, Never>?
    /// The operation, while it waits and nobody else may hold it.
    var hold: URLConnectionOperation?
    /// What each `TokenRefresher` knows of the operation.
    var tokens: [ObjectIdentifier: TokenUse] = [:]
    /// What is known of the response is an earlier attempt's.
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

    /// The operation ends. The hook to cancel, and what is to be let go of outside the lock.
    func end() -> (task: Task<Void, Never>?, hold: URLConnectionOperation?) {
        adapted = nil
        tokens = [:]
        return (task.take(), hold.take())
    }
}
