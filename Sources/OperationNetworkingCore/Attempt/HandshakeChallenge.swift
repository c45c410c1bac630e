// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// A TLS handshake that failed over what the user's challenge block may answer.
struct HandshakeChallenge {
    enum Question {
        /// The policy does not trust the server that showed this chain.
        case serverTrust(TransferError.RejectedServer)
        /// The server wants a client certificate.
        case clientCertificate
    }

    let question: Question
    /// The error that the operation ends with unless the block answers.
    let error: TransferError

    /// Nil when `error` is not a question for the block.
    init?(_ error: TransferError) {
        switch error.kind {
        case .serverUntrusted:
            guard let server = error.rejectedServer else { return nil }
            question = .serverTrust(server)
        case .clientCertificate, .clientCertificateRequired:
            question = .clientCertificate
        default:
            return nil
        }
        self.error = error
    }

    func authenticationChallenge(url: URL, failures: Int) -> URLAuthenticationChallenge {
        let space: URLProtectionSpace =
            switch question {
            case .serverTrust(let server): ServerTrustProtectionSpace(url: url, chain: server.chain)
            case .clientCertificate:
                URLProtectionSpace(
                    host: url.host ?? "", port: url.port ?? 443, protocol: "https", realm: nil,
                    authenticationMethod: ServerTrustProtectionSpace.clientCertificateMethod)
            }
        return URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: failures, failureResponse: nil,
            error: URLError(error, url: url), sender: SilentChallengeSender())
    }
}

/// The answers of the user's challenge block about handshakes.
struct HandshakeAnswers {
    /// The certificates of servers that are accepted although the policy is not satisfied, with their hosts.
    private var accepted: [(leaf: X509Certificate, host: String)] = []
    /// The identity that the server is shown in place of the operation's own.
    private(set) var identity: ClientIdentity?
    private var trustAnswers = 0
    private var identityAnswers = 0

    /// The number of earlier answers to a question.
    func failures(_ question: HandshakeChallenge.Question) -> Int {
        switch question {
        case .serverTrust: trustAnswers
        case .clientCertificate: identityAnswers
        }
    }

    /// The number of answers to all questions.
    var count: Int { trustAnswers + identityAnswers }

    /// Takes what the block answered. False: it is no answer to the question.
    mutating func take(_ credential: URLCredential, for question: HandshakeChallenge.Question) -> Bool {
        switch question {
        case .serverTrust(let server):
            trustAnswers += 1
            guard let trusted = (credential as? ServerTrustCredential)?.trust, let leaf = server.chain.first,
                trusted.certificates == server.chain.map(\.der), !accepted.contains(where: { $0.leaf == leaf })
            else { return false }
            accepted.append((leaf, server.host))
        case .clientCertificate:
            identityAnswers += 1
            guard let shown = (credential as? ClientIdentityCredential)?.clientIdentity else { return false }
            identity = shown
        }
        return true
    }

    func applied(to configuration: TLSConfiguration) -> TLSConfiguration {
        accepted.reduce(configuration) { $0.accepting($1.leaf, host: $1.host) }
    }
}
