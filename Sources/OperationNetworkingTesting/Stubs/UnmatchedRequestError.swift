// SPDX-License-Identifier: MIT
public import Foundation
public import OperationNetworking

/// No rule of the stubs fits a request. What was asked, the rule that comes nearest, and why that does not fit.
///
/// It is the `error` of the operation, as it is.
public struct UnmatchedRequestError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible, _BridgedError {
    /// The request's method.
    public let method: String
    /// The request's URL.
    public let url: URL
    /// Method and template of the rule that fits best. `nil`: there is no rule.
    public let nearestRule: String?
    /// The reason why that one does not fit. `nil`: there is no rule.
    public let reason: String?
    /// The number of rules.
    public let ruleCount: Int

    init(_ request: RecordedRequest, _ mismatches: [StubRule.Mismatch]) {
        method = request.method
        url = request.url
        // Of equals the first: `max` would take the last.
        let nearest = mismatches.reversed().max { $0.depth < $1.depth }
        nearestRule = nearest?.rule
        reason = nearest?.reason
        ruleCount = mismatches.count
    }

    /// One line with all of it.
    public var description: String {
        let asked = "no stub for \(method) \(url.absoluteString)"
        guard let nearestRule, let reason else { return asked + ": there are no rules" }
        return asked + ": the nearest of \(ruleCount) rules, \(nearestRule), does not fit, because \(reason)"
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
