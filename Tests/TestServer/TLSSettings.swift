// SPDX-License-Identifier: MIT
/// How a server secures its connections.
package struct TLSSettings: Sendable {
    /// What is asked of the client.
    package enum ClientAuthentication: Sendable {
        case none
        /// A certificate is asked for; if one comes it must lead to one of these roots.
        case optional(roots: [TestCertificate])
        case required(roots: [TestCertificate])
    }

    /// What the server shows: leaf first.
    package var chain: [TestCertificate]
    package var key: TestKey
    package var clientAuthentication: ClientAuthentication
    package var minimumVersion: TLSSessionInfo.Version
    package var maximumVersion: TLSSessionInfo.Version

    /// The certificate and its intermediates (not the root) with the certificate's key.
    package init(
        _ identity: TestIdentity, clientAuthentication: ClientAuthentication = .none,
        minimumVersion: TLSSessionInfo.Version = .v1_2, maximumVersion: TLSSessionInfo.Version = .v1_3
    ) {
        self.chain = identity.chain
        self.key = identity.key
        self.clientAuthentication = clientAuthentication
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
    }
}
