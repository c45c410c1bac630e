// SPDX-License-Identifier: MIT
internal import Foundation
internal import NIOCore
internal import NIOSSL

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

    func makeContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain.map { .certificate(try $0.nioCertificate()) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.pem.utf8), format: .pem)))
        configuration.minimumTLSVersion = Self.version(minimumVersion)
        configuration.maximumTLSVersion = Self.version(maximumVersion)
        configuration.applicationProtocols = ["http/1.1"]
        configuration.shutdownTimeout = .milliseconds(500)
        switch clientAuthentication {
        case .none:
            configuration.certificateVerification = .none
        case .optional(let roots):
            configuration.certificateVerification = .optionalVerification
            configuration.trustRoots = .certificates(try roots.map { try $0.nioCertificate() })
        case .required(let roots):
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(try roots.map { try $0.nioCertificate() })
        }
        return try NIOSSLContext(configuration: configuration)
    }

    private static func version(_ version: TLSSessionInfo.Version) -> TLSVersion {
        switch version {
        case .v1_0: .tlsv1
        case .v1_1: .tlsv11
        case .v1_2: .tlsv12
        case .v1_3: .tlsv13
        }
    }
}

extension TestCertificate {
    fileprivate func nioCertificate() throws -> NIOSSLCertificate {
        try NIOSSLCertificate(bytes: Array(der), format: .der)
    }
}
