// SPDX-License-Identifier: MIT
internal import Foundation

// The module AFNetworking has properties of the same names with AFNetworking's types. A module's own members hide those
// of the modules it imports, so this is how it gets at them.

extension URLConnectionOperation {
    /// `responseStringEncoding`.
    package final var responseStringEncodingRawValue: UInt? { responseStringEncoding?.rawValue }
}

extension HTTPRequestSerializer {
    /// `stringEncoding`.
    package final var stringEncodingRawValue: UInt {
        get { stringEncoding.rawValue }
        set { stringEncoding = String.Encoding(rawValue: newValue) }
    }
}

extension HTTPResponseSerializer {
    /// `stringEncoding`.
    package final var stringEncodingRawValue: UInt {
        get { stringEncoding.rawValue }
        set { stringEncoding = String.Encoding(rawValue: newValue) }
    }

    /// `acceptableContentTypes`.
    package final var hiddenAcceptableContentTypes: Set<String>? {
        get { acceptableContentTypes }
        set { acceptableContentTypes = newValue }
    }
}

extension SecurityPolicy {
    /// `pinnedCertificates`.
    package final var hiddenPinnedCertificates: Set<Data> {
        get { pinnedCertificates }
        set { pinnedCertificates = newValue }
    }
}
