// SPDX-License-Identifier: MIT
/// The settings by which a server secures its connections.
package struct TLSSettings: Sendable {
    /// The requirement for the client's certificate.
    package enum ClientAuthentication: Sendable {
        case none
        /// A certificate is asked for; if one comes it must lead to one of these roots.
        case optional(roots: [TestCertificate])
        case required(roots: [TestCertificate])
    }

    /// The chain that the server shows: leaf first.
    package var chain: [TestCertificate]
    package var key: TestKey
    package var clientAuthentication: ClientAuthentication
    package var minimumVersion: TLSVersion
    package var maximumVersion: TLSVersion
    /// The protocols that are negotiated (ALPN, RFC 7301), the best first; a client that offers none of them gets no
    /// answer.
    package var protocols: ApplicationProtocols

    package enum ApplicationProtocols: Sendable {
        case http1, http2, http2OrHTTP1
    }

    /// The certificate and its intermediates (not the root) with the certificate's key.
    package init(
        _ identity: TestIdentity, clientAuthentication: ClientAuthentication = .none,
        minimumVersion: TLSVersion = .v1_2, maximumVersion: TLSVersion = .v1_3,
        protocols: ApplicationProtocols = .http1
    ) {
        self.chain = identity.chain
        self.key = identity.key
        self.clientAuthentication = clientAuthentication
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
        self.protocols = protocols
    }
}
