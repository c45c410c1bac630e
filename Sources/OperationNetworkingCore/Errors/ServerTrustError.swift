// SPDX-License-Identifier: MIT
public import Foundation
package import NetworkingTransport

/// The reason why a server was not trusted, or a `SecurityPolicy` cannot be used.
///
/// It is the underlying error of the `URLError` that a request fails with; `urlErrorCode` is that error's code.
public struct ServerTrustError: NetworkingError {
    /// The rule that failed. Compare with the constants: later versions may add more.
    public struct Rule: RawRepresentable, Sendable, Hashable {
        /// The rule's name.
        public let rawValue: String
        /// A rule by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The policy's settings contradict each other, or name something unusable.
        public static let settings = Rule(rawValue: "settings")
        /// No trusted roots were found on this machine.
        public static let trustStore = Rule(rawValue: "trustStore")
        /// The server did not send a chain of certificates.
        public static let certificateFormat = Rule(rawValue: "certificateFormat")
        /// The chain does not lead to a trusted root, or breaks a rule on the way.
        public static let chain = Rule(rawValue: "chain")
        /// A certificate has expired or is not valid yet.
        public static let validityPeriod = Rule(rawValue: "validityPeriod")
        /// The certificate is for another host.
        public static let hostName = Rule(rawValue: "hostName")
        /// A certificate was revoked, or nothing says that it was not although the policy asks for it.
        public static let revocation = Rule(rawValue: "revocation")
        /// The chain does not lead to a pinned certificate.
        public static let pinnedCertificate = Rule(rawValue: "pinnedCertificate")
        /// The chain holds no pinned public key.
        public static let pinnedPublicKey = Rule(rawValue: "pinnedPublicKey")
        /// A subclass's `evaluate(_:forDomain:)` said no where the settings would have said yes.
        public static let evaluation = Rule(rawValue: "evaluation")
    }

    /// The rule that failed.
    public let rule: Rule
    /// The subject of the certificate that broke it, as in "CN=example.com". `nil` when no certificate did.
    public let subject: String?
    /// The host that the server was to be. `nil` when no name was asked for.
    public let host: String?
    /// One or two sentences about the problem and what can be done.
    public let reason: String
    /// The pins that were tried, as the first 16 hexadecimal digits of the SHA-256 of the certificate (certificate
    /// pinning) or of the SubjectPublicKeyInfo (public-key pinning).
    public let pinsTried: [String]
    /// OpenSSL's `X509_V_ERR_…` code. 0 when OpenSSL did not object.
    public let verificationCode: Int
    /// The code of the `URLError` that this is the reason of, from −1204 to −1200.
    public let urlErrorCode: URLError.Code

    init(
        rule: Rule, subject: String? = nil, host: String? = nil, reason: String, pinsTried: [String] = [],
        verificationCode: Int = 0, urlErrorCode: URLError.Code = .serverCertificateUntrusted
    ) {
        self.rule = rule
        self.subject = subject
        self.host = host
        self.reason = reason
        self.pinsTried = pinsTried
        self.verificationCode = verificationCode
        self.urlErrorCode = urlErrorCode
    }

    /// There is no certificate.
    static var emptyChain: ServerTrustError {
        ServerTrustError(
            rule: .certificateFormat, reason: "the chain is empty", urlErrorCode: .secureConnectionFailed)
    }

    /// Settings that cannot be used.
    static func settings(_ reason: String) -> ServerTrustError {
        ServerTrustError(rule: .settings, reason: reason, urlErrorCode: .secureConnectionFailed)
    }
}

extension ServerTrustError {
    /// ``rule``, by which errors are compared.
    public var code: Rule { rule }

    /// The error in words, for logs and developers. Host, rule, what is wrong, what to do.
    public var description: String {
        var text = rule == .settings ? "Unusable security policy: " : "Server not trusted"
        if rule != .settings {
            if let host { text += " as \(host)" }
            text += " (rule \(rule.rawValue)): "
        }
        text += reason
        if let subject { text += "; certificate: \(subject)" }
        if !pinsTried.isEmpty { text += "; pins tried: \(pinsTried.joined(separator: ", "))" }
        if let recoverySuggestion { text += "; \(recoverySuggestion)" }
        return ErrorLine.oneLine(text)
    }

    /// `urlErrorCode`'s number.
    public var errorCode: Int { urlErrorCode.rawValue }

    /// A hint for a server that is to be trusted all the same.
    public var recoverySuggestion: String? {
        switch rule {
        case .chain:
            "if the server is yours, add the certificate of its issuer to the security policy's anchorCertificates"
        case .validityPeriod: "renew the certificate, or set this machine's clock"
        case .hostName: "ask for a host that the certificate is for"
        case .revocation: "the server needs another certificate, or the list of revoked ones is to be renewed"
        case .pinnedCertificate, .pinnedPublicKey:
            "if the server changed its certificate on purpose, change pinnedCertificates"
        default: nil
        }
    }
}

extension ServerTrustError: X509VerifyResultConvertible {
    package var x509VerifyResult: X509VerifyResult {
        X509VerifyResult(rawValue: Int32(clamping: verificationCode))
    }
}
