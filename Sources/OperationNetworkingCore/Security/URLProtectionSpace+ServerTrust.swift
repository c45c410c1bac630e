// SPDX-License-Identifier: MIT
internal import Foundation
public import FoundationNetworking
internal import NetworkingTransport

extension URLProtectionSpace {
    /// The certificates of a server that the security policy does not trust. `nil` in challenges about anything else.
    ///
    /// The `authenticationMethod` of such a challenge is "NSURLAuthenticationMethodServerTrust".
    public var untrustedServer: ServerTrust? { (self as? ServerTrustProtectionSpace)?.trust }

    /// True if a server wants a client certificate and the operation has none, or none that the server accepts.
    ///
    /// The `authenticationMethod` of such a challenge is "NSURLAuthenticationMethodClientCertificate".
    public var wantsClientIdentity: Bool {
        authenticationMethod == ServerTrustProtectionSpace.clientCertificateMethod
    }
}

extension URLCredential {
    /// Makes the answer to a challenge about an untrusted server that accepts this certificate from this host, in the
    /// operation that asked. Other operations do not share its connections unless they were answered the same.
    ///
    /// - Parameter serverTrust: The `untrustedServer` of the challenge; another one is no answer.
    public static func accepting(_ serverTrust: ServerTrust) -> URLCredential { ServerTrustCredential(serverTrust) }

    /// The answer to a challenge that wants a client certificate.
    public static func identity(_ identity: ClientIdentity) -> URLCredential { ClientIdentityCredential(identity) }
}

/// A protection space that is a server's certificate chain.
// Sendable because nothing in it changes after `init`.
package final class ServerTrustProtectionSpace: URLProtectionSpace, @unchecked Sendable {
    // Foundation's constants for these are deprecated on Linux, where it has no use for them.
    package static let serverTrustMethod = "NSURLAuthenticationMethodServerTrust"
    package static let clientCertificateMethod = "NSURLAuthenticationMethodClientCertificate"

    let trust: ServerTrust?

    init(url: URL, chain: [X509Certificate]) {
        trust = ServerTrust(parsed: chain)
        super.init(
            host: url.host ?? "", port: url.port ?? 443, protocol: "https", realm: nil,
            authenticationMethod: Self.serverTrustMethod)
    }

    required init?(coder: NSCoder) { nil }
}

/// Accepts one chain of certificates.
// Sendable because nothing in it changes after `init`.
final class ServerTrustCredential: URLCredential, @unchecked Sendable {
    let trust: ServerTrust

    init(_ trust: ServerTrust) {
        self.trust = trust
        super.init(user: "", password: "", persistence: .none)
    }

    required init?(coder: NSCoder) { nil }
}

/// Shows a client certificate.
// Sendable because nothing in it changes after `init`.
final class ClientIdentityCredential: URLCredential, @unchecked Sendable {
    let clientIdentity: ClientIdentity

    init(_ clientIdentity: ClientIdentity) {
        self.clientIdentity = clientIdentity
        super.init(user: "", password: "", persistence: .none)
    }

    required init?(coder: NSCoder) { nil }
}
