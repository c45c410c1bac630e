// SPDX-License-Identifier: MIT
public import Foundation

/// The time to wait before another attempt.
public enum Backoff: Sendable, Equatable {
    /// Not at all.
    case none
    /// So many seconds, each time.
    case constant(TimeInterval)
    /// A random time from 0 to `initial` seconds, to `initial` × `factor` before the third attempt, and so on up to
    /// `maximum`. With this full jitter, clients that failed together do not come back together.
    case exponential(initial: TimeInterval, factor: Double, maximum: TimeInterval)

    /// The longest time that any wait may be: a year.
    static let longest: TimeInterval = 31_536_000

    /// Seconds before another attempt.
    ///
    /// - Parameters:
    ///   - retries: the number of retries so far: 0 before the second attempt.
    ///   - chance: from 0 up to 1.
    func delay(after retries: Int, chance: Double) -> TimeInterval {
        switch self {
        case .none: 0
        case .constant(let seconds): Self.bounded(seconds)
        case .exponential(let initial, let factor, let maximum):
            // Infinite after many retries, which the maximum takes care of.
            chance * min(Self.bounded(initial * pow(factor > 1 ? factor : 1, Double(retries))), Self.bounded(maximum))
        }
    }

    /// The longest `Retry-After` that is waited for: a minute, or `maximum`, if that is more. A short `maximum` says
    /// how soon to come back without being asked, not that a server may not ask for a second.
    var longestRetryAfter: TimeInterval {
        switch self {
        case .none, .constant: 60
        case .exponential(_, _, let maximum): max(60, Self.bounded(maximum))
        }
    }

    /// Returns the seconds within the limits: 0 for a value that is no time.
    static func bounded(_ seconds: TimeInterval) -> TimeInterval {
        seconds > 0 ? min(seconds, longest) : 0
    }
}
