// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The decision whether another attempt follows a failed one, by a `RetryPolicy`, as a pure function.
///
/// | failure                                       | attempts left | verdict                                         |
/// |-----------------------------------------------|---------------|-------------------------------------------------|
/// | of a method that must not be repeated         | –             | `final`                                         |
/// | host not reached, and connectivity waited for | –             | `retry`, not counted                            |
/// | no response, for a passing reason             | yes           | `retry` after the back-off                      |
/// | status of the policy                          | yes           | `retry` after the back-off                      |
/// | the same with a Retry-After that is too long  | yes           | `final`                                         |
/// | the same with another Retry-After             | yes           | `retry` after that and the back-off             |
/// | any of these                                  | no            | `final`                                         |
/// | any other                                     | –             | `final`                                         |
struct RetryJudge {
    enum Verdict: Equatable {
        case final
        /// - Parameter isCounted: as one of the policy's attempts, and against its budget.
        case retry(after: TimeInterval, isCounted: Bool)
    }

    var method: String
    /// The request may be repeated, whatever its method.
    var isRepeatable = false
    /// The reason that there was no response; nil: there was one.
    var error: URLError.Code?
    var statusCode: Int?
    /// The time that the response asks to wait, in seconds.
    var retryAfter: TimeInterval?
    /// Attempts that were made, this one included.
    var attempts = 1
    /// Those of them that count.
    var countedAttempts = 1

    /// - Parameter chance: from 0 up to 1.
    func verdict(_ policy: RetryPolicy, chance: Double) -> Verdict {
        guard isRepeatable || policy.methods.contains(method) else { return .final }
        let delay = policy.backoff.delay(after: max(0, attempts - 1), chance: chance)
        if policy.waitsForConnectivity, let error, Self.unreachable.contains(error) {
            return .retry(after: policy.backoff == .none ? 1 : delay, isCounted: false)
        }
        guard countedAttempts < policy.maximumAttempts else { return .final }
        if let error {
            return Self.passing.contains(error) ? .retry(after: delay, isCounted: true) : .final
        }
        guard let statusCode, policy.statusCodes.contains(statusCode) else { return .final }
        guard policy.honorsRetryAfter, let retryAfter else { return .retry(after: delay, isCounted: true) }
        guard retryAfter <= policy.backoff.longestRetryAfter else { return .final }
        return .retry(after: Backoff.bounded(retryAfter + delay), isCounted: true)
    }

    /// Errors that say that the server was not reached at all.
    private static let unreachable: Set<URLError.Code> = [
        .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
    ]

    /// Errors whose cause may have passed when the request comes again.
    private static let passing: Set<URLError.Code> = unreachable.union([.timedOut, .networkConnectionLost])
}
