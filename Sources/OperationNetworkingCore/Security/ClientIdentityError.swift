// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// An error of making a `ClientIdentity`.
public struct ClientIdentityError: NetworkingError {
    /// The kind of error. Compare with the constants: later versions may add more.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number an `NSError` shows.
        public let rawValue: Int

        /// A code by its number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// There is no certificate, or one does not parse (1).
        public static let invalidCertificate = Code(rawValue: 1)
        /// There is no private key, or it does not parse (2).
        public static let invalidPrivateKey = Code(rawValue: 2)
        /// The key is encrypted, and no password was given (3).
        public static let passwordRequired = Code(rawValue: 3)
        /// The password does not open the key or the file (4).
        public static let wrongPassword = Code(rawValue: 4)
        /// The key is not that of the first certificate (5).
        public static let keyMismatch = Code(rawValue: 5)
        /// The PKCS#12 file does not parse, or uses algorithms that OpenSSL does not offer (6).
        public static let invalidPKCS12 = Code(rawValue: 6)
    }

    /// The kind of error.
    public let code: Code
    /// A human-readable explanation, which never has the password or the key.
    public let reason: String

    /// The error in words, for logs and developers.
    public var description: String { ErrorLine.oneLine("Unusable client identity: \(reason)") }
}

extension ClientIdentityError {
    init(_ error: ClientIdentityMaterialError) {
        switch error {
        case .certificate(let text):
            self.init(code: .invalidCertificate, reason: "the certificate chain cannot be read (\(text))")
        case .privateKey(let text):
            self.init(code: .invalidPrivateKey, reason: "the private key cannot be read (\(text))")
        case .passwordRequired:
            self.init(code: .passwordRequired, reason: "the private key is encrypted; give its password")
        case .wrongPassword:
            self.init(code: .wrongPassword, reason: "the password is not the right one")
        case .keyMismatch(let subject):
            self.init(
                code: .keyMismatch, reason: "the private key is not that of the first certificate (\(subject))")
        case .pkcs12(let text):
            self.init(
                code: .invalidPKCS12,
                reason: "the PKCS#12 file cannot be read (\(text)); files with RC2 or 40-bit encryption have to be "
                    + "converted with \"openssl pkcs12 -legacy\"")
        }
    }
}
