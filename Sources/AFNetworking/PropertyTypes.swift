// SPDX-License-Identifier: MIT
public import Foundation

// Properties that have another type in AFNetworking. In a module that imports this one they hide the properties of the
// same names that `OperationNetworking` has; a file that imports that module, too, gets its types.

extension URLConnectionOperation {
    /// `responseStringEncoding` as AFNetworking's `NSStringEncoding`, a raw value of `String.Encoding`. 0 before a
    /// response.
    @_disfavoredOverload
    public var responseStringEncoding: UInt { responseStringEncodingRawValue ?? 0 }
}

extension HTTPRequestSerializer {
    /// `stringEncoding` as AFNetworking's `NSStringEncoding`, a raw value of `String.Encoding`.
    @_disfavoredOverload
    public var stringEncoding: UInt {
        get { stringEncodingRawValue }
        set { stringEncodingRawValue = newValue }
    }
}

extension HTTPResponseSerializer {
    /// `stringEncoding` as AFNetworking's `NSStringEncoding`, a raw value of `String.Encoding`.
    @_disfavoredOverload
    public var stringEncoding: UInt {
        get { stringEncodingRawValue }
        set { stringEncodingRawValue = newValue }
    }

    /// `acceptableContentTypes` as AFNetworking's `NSSet` without a type of its elements. What is no text is left out.
    @_disfavoredOverload
    public var acceptableContentTypes: Set<AnyHashable>? {
        get { hiddenAcceptableContentTypes }
        set { hiddenAcceptableContentTypes = newValue.map { Set($0.compactMap { $0.base as? String }) } }
    }
}

extension SecurityPolicy {
    /// `pinnedCertificates`, which is optional in AFNetworking. It is never nil here; nil as the new value stands for no
    /// pins.
    @_disfavoredOverload
    public var pinnedCertificates: Set<Data>! {
        get { hiddenPinnedCertificates }
        set { hiddenPinnedCertificates = newValue ?? [] }
    }
}
