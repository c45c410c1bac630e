// SPDX-License-Identifier: MIT
internal import Foundation

// Properties that have another type in AFNetworking. In a module that imports this one they hide the properties of the
// same names that `OperationNetworking` has.

extension URLConnectionOperation {
    /// `responseStringEncoding` as AFNetworking's `NSStringEncoding`, a raw value of `String.Encoding`. 0 before a
    /// response.
    public var responseStringEncoding: UInt { hiddenResponseStringEncoding ?? 0 }
}

extension HTTPRequestSerializer {
    /// `stringEncoding` as AFNetworking's `NSStringEncoding`, a raw value of `String.Encoding`.
    public var stringEncoding: UInt {
        get { hiddenStringEncoding }
        set { hiddenStringEncoding = newValue }
    }
}

extension HTTPResponseSerializer {
    /// `stringEncoding` as AFNetworking's `NSStringEncoding`, a raw value of `String.Encoding`.
    public var stringEncoding: UInt {
        get { hiddenStringEncoding }
        set { hiddenStringEncoding = newValue }
    }

    /// `acceptableContentTypes` as AFNetworking's `NSSet` without a type of its elements. What is no text is left out.
    public var acceptableContentTypes: Set<AnyHashable>? {
        get { hiddenAcceptableContentTypes }
        set { hiddenAcceptableContentTypes = newValue.map { Set($0.compactMap { $0.base as? String }) } }
    }
}
