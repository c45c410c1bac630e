public import Foundation
internal import NetworkingTransport

/// An error of making a `ClientIdentity`.
public struct ClientIdentityError: Error, Sendable, Hashable {
    /// The kind of error. Compare with the constants: later versions may add more.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// A code by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no certificate, or one does not parse.
        public static let invalidCertificate = Code(rawValue: "invalidCertificate")
        /// There is no private key, or it does not parse.
        public static let invalidPrivateKey = Code(rawValue: "invalidPrivateKey")
        /// The key is encrypted, and no password was given.
        public static let passwordRequired = Code(rawValue: "passwordRequired")
        /// The password does not open the key or the file.
        public static let wrongPassword = Code(rawValue: "wrongPassword")
        /// The key is not that of the first certificate.
        public static let keyMismatch = Code(rawValue: "keyMismatch")
        /// The PKCS#12 file does not parse, or uses algorithms that OpenSSL does not offer.
        public static let invalidPKCS12 = Code(rawValue: "invalidPKCS12")
    }

    /// The kind of error.
    public let code: Code
    /// A human-readable explanation, which never has the password or the key.
    public let reason: String
}

extension ClientIdentityError: CustomStringConvertible, LocalizedError {
    /// The error in words, for logs and developers.
    public var description: String { "Unusable client identity: \(reason)" }
    /// The same as `description`.
    public var errorDescription: String? { description }
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
