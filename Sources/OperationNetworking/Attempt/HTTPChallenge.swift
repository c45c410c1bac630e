internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// What a 401 response asks for (RFC 9110, section 11.6.1): the strongest scheme that a user name and a password answer.
/// Negotiate comes last, because it takes the system's tickets instead.
struct HTTPChallenge: Equatable {
    let scheme: TransferCredential.Schemes
    let realm: String?

    /// Nil when the response names no scheme that is implemented.
    init?(head: ResponseHead) {
        var best: (rank: Int, scheme: TransferCredential.Schemes, realm: String?)?
        head.forEachField { name, value in
            guard name.isFieldName("WWW-Authenticate") else { return }
            for (scheme, realm) in Self.parse(value) {
                guard let (rank, known) = Self.known[scheme], rank > best?.rank ?? 0 else { continue }
                best = (rank, known, realm)
            }
        }
        guard let best else { return nil }
        scheme = best.scheme
        realm = best.realm
    }

    private static let known: [String: (Int, TransferCredential.Schemes)] = [
        "negotiate": (1, .negotiate), "basic": (2, .basic), "ntlm": (3, .ntlm), "digest": (4, .digest),
    ]

    /// The schemes in one field value, with their realms. Parameters and schemes are both separated by commas; a scheme is
    /// a token without "=" after it.
    static func parse(_ value: String) -> [(scheme: String, realm: String?)] {
        var result: [(scheme: String, realm: String?)] = []
        for part in splitOutsideQuotes(value) {
            var rest = Substring(part.trimmingCharacters(in: .whitespaces))
            let token = rest.prefix { $0 != " " && $0 != "=" && $0 != "\t" }
            let after = rest.dropFirst(token.count).drop { $0 == " " || $0 == "\t" }
            if !token.isEmpty, !after.hasPrefix("=") {
                result.append((token.lowercased(), nil))
                rest = after
            }
            let pair = rest.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0].trimmingCharacters(in: .whitespaces).lowercased() == "realm", !result.isEmpty {
                result[result.count - 1].realm = unquoted(pair[1].trimmingCharacters(in: .whitespaces))
            }
        }
        return result
    }

    private static func splitOutsideQuotes(_ value: String) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isEscaped = false
        for character in value {
            if character == ",", !isQuoted {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && isQuoted && !isEscaped
            parts[parts.count - 1].append(character)
        }
        return parts
    }

    private static func unquoted(_ value: String) -> String {
        guard value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
        return value.dropFirst().dropLast().replacingOccurrences(of: "\\\"", with: "\"")
    }

    func answer(with credential: URLCredential) -> TransferCredential? {
        guard !(credential is ServerTrustCredential), !(credential is ClientIdentityCredential),
            let user = credential.user, let password = credential.password
        else { return nil }
        return TransferCredential(user: user, password: password, schemes: scheme)
    }

    func protectionSpace(url: URL) -> URLProtectionSpace {
        let isSecure = url.scheme?.lowercased() == "https"
        return URLProtectionSpace(
            host: url.host ?? "", port: url.port ?? (isSecure ? 443 : 80), protocol: isSecure ? "https" : "http",
            realm: realm, authenticationMethod: authenticationMethod)
    }

    func authenticationChallenge(
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
        default: NSURLAuthenticationMethodHTTPBasic
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
