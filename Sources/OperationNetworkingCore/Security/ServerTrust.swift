// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingTransport

/// The certificates that a server showed, for a `SecurityPolicy` to evaluate. It takes the place of
/// Security.framework's `SecTrust`.
public final class ServerTrust: Sendable {
    /// The certificates as DER, the server's own first, the others as sent.
    public let certificates: [Data]
    let parsed: [X509Certificate]

    /// Takes a chain that OpenSSL has parsed; nil when it is empty.
    init?(parsed: [X509Certificate]) {
        guard !parsed.isEmpty else { return nil }
        self.parsed = parsed
        certificates = parsed.map(\.der)
    }

    /// Takes a chain, the server's own certificate first.
    ///
    /// - Throws: `ServerTrustError` (rule `certificateFormat`) when there is no certificate or one is not DER.
    public init(certificates: [Data]) throws {
        guard !certificates.isEmpty else { throw ServerTrustError.emptyChain }
        self.certificates = certificates
        parsed = try certificates.enumerated().map { index, der in
            do {
                return try X509Certificate(der: der)
            } catch {
                throw ServerTrustError(
                    rule: .certificateFormat,
                    reason: "certificate \(index) of the chain (\(der.count) bytes) is not a DER certificate: \(error)",
                    urlErrorCode: .secureConnectionFailed)
            }
        }
    }
}
