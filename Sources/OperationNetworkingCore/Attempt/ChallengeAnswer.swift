// SPDX-License-Identifier: MIT
internal import NetworkingTransport

/// The answer of an exchange to 401 responses of one origin.
enum ChallengeAnswer {
    /// A field that the exchange writes.
    case basic(BasicAuthentication)
    /// The same, another one for each request.
    case digest(DigestAuthentication)
    /// Messages on a connection, which libcurl exchanges.
    case connection(TransferCredential)

    /// Makes a request answer the challenge.
    mutating func apply(to request: inout TransferRequest) throws(AuthenticationError) {
        switch self {
        case .basic(let basic):
            request.headers.append(HeaderField("Authorization", try basic.fieldValue()))
        case .digest(var digest):
            let target = OriginForm.make(of: request.url)
            request.headers.append(
                HeaderField("Authorization", octets: try digest.fieldValue(method: request.method, target: target)))
            self = .digest(digest)
        case .connection(let credential):
            try AuthenticationError.check(user: credential.user, password: credential.password)
            request.credential = credential
        }
    }

    /// The answer to a challenge which says that the present one was right but for its nonce. Nil: it says otherwise.
    func renewed(by challenge: HTTPChallenge) -> ChallengeAnswer? {
        guard case .digest(let digest) = self, case .digest(let next) = challenge.scheme else { return nil }
        return digest.renewed(by: next).map { .digest($0) }
    }
}
