// SPDX-License-Identifier: MIT
public import Foundation

/// The common parts of the library's own error types. Errors of the transport are `URLError`s.
///
/// Each prints as one line, the same in `"\(error)"` and `localizedDescription`: the request, what went wrong, and what
/// to do, as far as that is known. No value of a header field, user name or password is in it, and no value of a query
/// item whose name looks like a secret's.
///
/// Two errors of one type are equal when their codes are.
public protocol NetworkingError: LocalizedError, CustomNSError, CustomStringConvertible, Equatable, Sendable,
    _BridgedError
{
    /// The kinds of failures. Later versions may add more.
    associatedtype Code: RawRepresentable & Hashable & Sendable

    /// The kind of failure.
    var code: Code { get }
    /// One sentence about the error, without the request.
    var reason: String { get }
    /// The next cause. `nil` when no cause says more.
    var underlyingError: (any Error)? { get }
}

extension NetworkingError {
    /// ``reason``, as one line.
    public var description: String { ErrorLine.oneLine(reason) }

    /// The same as `description`.
    public var errorDescription: String? { description }

    /// ``reason``.
    public var failureReason: String? { reason }

    /// `nil`.
    public var underlyingError: (any Error)? { nil }

    /// The module's and the type's name.
    public static var errorDomain: String { "OperationNetworking.\(Self.self)" }

    /// Description, reason and underlying error under Foundation's keys.
    public var errorUserInfo: [String: Any] {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: description, NSLocalizedFailureReasonErrorKey: reason,
        ]
        if let underlyingError { userInfo[NSUnderlyingErrorKey] = underlyingError }
        return userInfo
    }

    /// Returns true if both have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension NetworkingError where Code.RawValue == Int {
    /// The number of ``code``.
    public var errorCode: Int { code.rawValue }
}
