// SPDX-License-Identifier: MIT

/// How fast bytes may come, as a pure value: an account that fills with time, and may be overdrawn by what came already.
package struct TokenBucket: Sendable {
    /// Bytes a second.
    package let rate: Double
    /// What is on the account at most: what may come at once after a rest.
    private let burst: Double
    private var level: Double
    private var last: ContinuousClock.Instant

    /// - Parameter rate: bytes a second, more than 0.
    package init(rate: Int64, at now: ContinuousClock.Instant) {
        self.rate = Double(max(1, rate))
        burst = self.rate / 10
        level = burst
        last = now
    }

    /// Takes bytes that came.
    ///
    /// - Returns: how long to wait until the account is even again; zero: go on.
    package mutating func take(_ count: Int, at now: ContinuousClock.Instant) -> Duration {
        level = min(burst, level + max(0, (now - last).seconds) * rate)
        last = max(last, now)
        level -= Double(count)
        return level < 0 ? .seconds(-level / rate) : .zero
    }
}
