// SPDX-License-Identifier: MIT
internal import Foundation

/// The value among a request's parameters that has no form in JSON, or in a property list.
struct ParameterError: Error, LocalizedError, CustomStringConvertible, _BridgedError {
    /// The keys and indices that lead to it, as in Swift; empty: the parameters themselves.
    let path: String
    let problem: String

    var description: String { ErrorLine.oneLine("At parameters\(path): \(problem).") }
    var errorDescription: String? { description }
}
