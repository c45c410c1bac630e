// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The data that an operation's metrics are made of when they are asked for, which is rare.
// Sendable because its maker sets it before any other code has it.
final class MeasuredAttempt: @unchecked Sendable {
    let timings: TransferTimings
    let redirectCount: Int
    /// Bytes of content, after decoding.
    let decodedBytes: Int64
    let cacheOutcome: CacheOutcome
    let endDate = Date()
    /// The attempts before.
    var attempts: [TransferMetrics.Attempt] = []
    /// This one; nil until the operation has taken it.
    var attempt: TransferMetrics.Attempt?

    init(_ timings: TransferTimings, redirectCount: Int, decodedBytes: Int64, cacheOutcome: CacheOutcome) {
        self.timings = timings
        self.redirectCount = redirectCount
        self.decodedBytes = decodedBytes
        self.cacheOutcome = cacheOutcome
    }

    var metrics: TransferMetrics { TransferMetrics(self) }
}
