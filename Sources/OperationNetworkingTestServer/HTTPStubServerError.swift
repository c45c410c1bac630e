// SPDX-License-Identifier: MIT
public import Foundation

/// A server cannot be started.
public struct HTTPStubServerError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// A clause about the failure.
    public let reason: String

    init(reason: String) { self.reason = reason }

    init(call: String, code: Int32) {
        reason = "\(call): \(String(cString: strerror(code)))"
    }

    /// One line.
    public var description: String { "the stub server cannot be started: \(reason)" }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
