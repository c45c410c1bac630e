// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
package import NetworkingTransport

/// The challenge of a 401 response (RFC 9110, section 11.6.1): the strongest scheme that a user name and a password
/// answer. Negotiate comes last, because it takes the system's tickets instead.
package struct HTTPChallenge: Equatable {
    package enum Scheme: Equatable {
        case negotiate, basic, ntlm
        case digest(DigestChallenge)
    }

    package let scheme: Scheme
    let realm: String?

    /// Nil when the response names no scheme that is implemented. Among challenges of one scheme the first is answered,
    /// which is the one that the server prefers (RFC 7616, section 3.7).
    package init?(head: ResponseHead) {
        var best: (rank: Int, scheme: Scheme, challenge: AuthenticationChallenge)?
        for challenge in AuthenticationChallenge.all(in: head) {
            guard let (rank, scheme) = Self.ranked(challenge), rank > best?.rank ?? 0 else { continue }
            best = (rank, scheme, challenge)
        }
        guard let best else { return nil }
        scheme = best.scheme
        realm = best.challenge.value(of: "realm").map(Self.text)
    }

    private static func ranked(_ challenge: AuthenticationChallenge) -> (Int, Scheme)? {
        switch challenge.scheme {
        case "negotiate": (1, .negotiate)
        case "basic": (2, .basic)
        case "ntlm": (3, .ntlm)
        case "digest": DigestChallenge(challenge).map { (4, .digest($0)) }
        default: nil
        }
    }

    /// UTF-8 where it is, else Latin-1.
    private static func text(_ bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self) ?? String(latin1: bytes)
    }

    /// The answer with a credential. Nil: the credential is not a user name and password.
    func answer(with credential: URLCredential) -> ChallengeAnswer? {
        guard !(credential is ServerTrustCredential), !(credential is ClientIdentityCredential),
            let user = credential.user, let password = credential.password
        else { return nil }
        switch scheme {
        case .basic: return .basic(BasicAuthentication(user: user, password: password))
        case .digest(let challenge):
            return .digest(DigestAuthentication(user: user, password: password, challenge: challenge))
        case .ntlm: return .connection(TransferCredential(user: user, password: password, schemes: .ntlm))
        case .negotiate: return .connection(TransferCredential(user: user, password: password, schemes: .negotiate))
        }
    }

    func protectionSpace(url: URL) -> URLProtectionSpace {
        let isSecure = url.scheme?.lowercased() == "https"  // checked: our own request's
        return URLProtectionSpace(
            host: url.host ?? "", port: url.port ?? (isSecure ? 443 : 80), protocol: isSecure ? "https" : "http",
            realm: realm, authenticationMethod: authenticationMethod)
    }

    package func authenticationChallenge(
        url: URL, proposed: URLCredential?, failures: Int, response: URLResponse?
    ) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: protectionSpace(url: url), proposedCredential: proposed, previousFailureCount: failures,
            failureResponse: response, error: nil, sender: SilentChallengeSender())
    }

    private var authenticationMethod: String {
        switch scheme {
        case .digest: NSURLAuthenticationMethodHTTPDigest
        case .ntlm: NSURLAuthenticationMethodNTLM
        case .negotiate: NSURLAuthenticationMethodNegotiate
        case .basic: NSURLAuthenticationMethodHTTPBasic
        }
    }
}

/// The sender that Foundation's type demands: the answer is the block's result, so calls here have no effect.
final class SilentChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
