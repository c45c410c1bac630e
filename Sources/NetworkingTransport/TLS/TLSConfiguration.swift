// SPDX-License-Identifier: MIT
package import Foundation

/// TLS protocol versions that can be asked for.
package enum TLSVersion: Int, Sendable, Hashable, Comparable {
    case v1_0 = 10, v1_1, v1_2, v1_3
    package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

/// The rules to verify a server, and the identity we show it: immutable, shared by all transfers under one policy.
package final class TLSConfiguration: Sendable {
    /// The verdict on a server's certificate chain: nil accepts, an error rejects. Called inside the handshake, before
    /// a byte of the request is sent, by `verificationExecutor` or, without one, on the network thread. The chain is as
    /// sent, leaf first.
    package typealias Verification = @Sendable (_ chain: [X509Certificate], _ host: String) -> (any Error)?

    /// The verdict on the OCSP response that a server stapled to its chain, or on there being none, once the chain has
    /// been accepted. Called on the network thread.
    package typealias StatusVerification =
        @Sendable (_ response: Data?, _ chain: [X509Certificate], _ host: String) -> (any Error)?

    /// Runs a verification that may take its time, on another thread.
    package typealias Executor = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    /// Connections, TLS sessions and idle handles are never shared between configurations with different identities:
    /// everything that changes a verdict or what is sent must change this.
    package let identity: String
    package let minimumVersion: TLSVersion
    package let maximumVersion: TLSVersion?
    package let clientIdentity: ClientIdentityMaterial?
    package let verify: Verification
    /// nil: `verify` answers at once.
    package let verificationExecutor: Executor?
    /// nil: servers are not asked for an OCSP response.
    package let verifyStatus: StatusVerification?

    package init(
        identity: String, minimumVersion: TLSVersion = .v1_2, maximumVersion: TLSVersion? = nil,
        clientIdentity: ClientIdentityMaterial? = nil, verifyStatus: StatusVerification? = nil,
        verificationExecutor: Executor? = nil, verify: @escaping Verification
    ) {
        self.identity = identity
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
        self.clientIdentity = clientIdentity
        self.verify = verify
        self.verificationExecutor = verificationExecutor
        self.verifyStatus = verifyStatus
    }

    /// The same, except that a server that shows `leaf` as `host` is accepted. Shares no connections with this one.
    package func accepting(_ leaf: X509Certificate, host: String) -> TLSConfiguration {
        let der = leaf.der
        let isAccepted: @Sendable ([X509Certificate], String) -> Bool = { chain, name in
            name == host && chain.first?.der == der
        }
        var acceptingStatus: StatusVerification?
        if let verifyStatus {
            acceptingStatus = { response, chain, name in
                isAccepted(chain, name) ? nil : verifyStatus(response, chain, name)
            }
        }
        let verify = verify
        return TLSConfiguration(
            identity: "\(identity)/accepting \(der.base64EncodedString()) as \(host)", minimumVersion: minimumVersion,
            maximumVersion: maximumVersion, clientIdentity: clientIdentity,
            verifyStatus: acceptingStatus, verificationExecutor: verificationExecutor,
            verify: { chain, name in isAccepted(chain, name) ? nil : verify(chain, name) })
    }
}
