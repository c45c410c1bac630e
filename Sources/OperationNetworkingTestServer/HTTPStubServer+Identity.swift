// SPDX-License-Identifier: MIT
public import Foundation
internal import Glibc
internal import TestTLS

extension HTTPStubServer {
    /// A certificate with its key, for TLS handshakes. Its authority exists in this process only.
    ///
    /// ```swift
    /// let server = try HTTPStubServer(stubs, identity: HTTPStubServer.Identity())
    /// manager.securityPolicy.anchorCertificates = [server.identity!.authority]
    /// ```
    public struct Identity: Sendable {
        /// The time in which a certificate is valid.
        public enum Validity: Sendable, Hashable {
            /// Since yesterday, for a month.
            case current
            /// Until yesterday.
            case expired
            /// From tomorrow on.
            case notYetValid
        }

        /// The authority's certificate, as DER. A client that trusts it trusts the server.
        public let authority: Data
        /// The server's own certificate, as DER. For pinning.
        public let certificate: Data
        private let material: TestIdentity

        /// A certificate that was made for the occasion.
        ///
        /// - Parameters:
        ///   - hostNames: names and IP addresses that it is good for; by default `localhost`, 127.0.0.1 and ::1.
        ///   - validity: `.current` by default.
        /// - Throws: ``HTTPStubServerError`` for a name that no certificate has.
        public init(
            hostNames: [String] = ["localhost", "127.0.0.1", "::1"], validity: Validity = .current
        ) throws {
            do {
                let root = try TestCertificateAuthority()
                material = try root.issue(
                    dnsNames: hostNames.filter { !Self.isAddress($0) }, ipAddresses: hostNames.filter(Self.isAddress),
                    validity: validity.period)
                authority = root.certificate.der
                certificate = material.certificate.der
            } catch {
                throw HTTPStubServerError(reason: "\(error)")
            }
        }

        /// The authority's certificate as PEM, for `curl --cacert` and `SSL_CERT_FILE`.
        public var authorityPEM: String { authority.pem("CERTIFICATE") }

        private static func isAddress(_ name: String) -> Bool {
            var bytes = in6_addr()
            return inet_pton(AF_INET, name, &bytes) == 1 || inet_pton(AF_INET6, name, &bytes) == 1
        }

        func settings(_ protocols: Set<ProtocolVersion>) -> TLSSettings {
            var settings = TLSSettings(material)
            settings.protocols =
                !protocols.contains(.http2) ? .http1 : !protocols.contains(.http1) ? .http2 : .http2OrHTTP1
            return settings
        }
    }
}

extension HTTPStubServer.Identity.Validity {
    fileprivate var period: TestCertificateAuthority.Validity {
        switch self {
        case .current: .current
        case .expired: .expired
        case .notYetValid: .notYetValid
        }
    }
}
