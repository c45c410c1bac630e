// SPDX-License-Identifier: MIT
public import Foundation

/// The requirements of `as? NSError` and `case let error as NSError` for an error.
///
/// The compiler takes both for casts that always succeed, as they do on Apple's systems. On Linux a Swift error is not
/// an `NSError` by itself: there `as?` gives nil, `as!` stops the process, and a `catch let error as NSError` that is
/// the only one goes on after it as if nothing had been thrown. `as NSError`, without a mark, is right everywhere.
public protocol _BridgedError: Error, _ObjectiveCBridgeable where _ObjectiveCType == NSError {}

extension _BridgedError {
    /// The object that `as? NSError` gives, with the domain, code and user info of `as NSError`.
    public func _bridgeToObjectiveC() -> NSError { BridgedError(self) }

    /// The error that the object was made of. `nil`: it was made of another one.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout Self?) {
        result = (source as? BridgedError)?.original as? Self
    }

    /// Returns true if the object was made of such an error.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout Self?) -> Bool {
        result = (source as? BridgedError)?.original as? Self
        return result != nil
    }

    /// Never called: the compiler refuses `as` from an `NSError` to one of these types, and `as?` and `as!` call the
    /// others.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Self {
        guard let error = (source as? BridgedError)?.original as? Self else {
            preconditionFailure("an NSError that was not made of a \(Self.self)")
        }
        return error
    }
}

/// A Swift error as an `NSError`, with the domain, code and user info that `as NSError` gives it. It casts back.
// Sendable as every `NSError`: nothing of it changes.
final class BridgedError: DescribedError, @unchecked Sendable {
    let original: any Error

    init(_ original: any Error) {
        self.original = original
        let plain = original as NSError
        super.init(domain: plain.domain, code: plain.code, userInfo: plain.userInfo)
    }

    /// Archives hold an `NSError`, by `classForCoder`.
    required init?(coder: NSCoder) { nil }
}

/// So that this holds for the errors of transfers, too. Foundation has the like for `CocoaError` only.
///
/// A program that has this conformance itself leaves it out, or has it in a module that does not import this one.
extension URLError: @retroactive _ObjectiveCBridgeable {
    /// The object that every `URLError` is made of.
    public func _bridgeToObjectiveC() -> NSError { _nsError }

    /// The error that is made of the object. `nil`: it has another domain.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout URLError?) {
        result = source.domain == NSURLErrorDomain ? URLError(_nsError: source) : nil
    }

    /// Returns true if the object has the right domain.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout URLError?) -> Bool {
        _forceBridgeFromObjectiveC(source, result: &result)
        return result != nil
    }

    /// Never called, as with the others.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> URLError {
        guard let source, source.domain == NSURLErrorDomain else { return URLError(.unknown) }
        return URLError(_nsError: source)
    }
}
