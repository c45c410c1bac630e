// SPDX-License-Identifier: MIT

/// A challenge of the scheme Digest that can be answered (RFC 7616, section 3.3).
package struct DigestChallenge: Sendable, Equatable {
    let realm: [UInt8]
    let nonce: [UInt8]
    let opaque: [UInt8]?
    let algorithm: DigestAlgorithm
    /// True if the server named the algorithm, which the answer then names, too.
    let namesAlgorithm: Bool
    /// True if the answer has the quality of protection "auth"; a server that names none gets RFC 2069's answer.
    let hasQuality: Bool
    /// True if the server finds users by a hash of their names.
    let hashesUser: Bool
    /// True if the server reads UTF-8.
    let isUTF8: Bool
    /// True if only the nonce of the answer before was wrong.
    package let isStale: Bool

    /// Nil when the scheme is not Digest, a nonce is missing, or the challenge cannot be answered: it wants an
    /// algorithm that is not in `DigestAlgorithm`, or "auth-int" alone. A missing realm, which is required, is an empty
    /// one.
    package init?(_ challenge: AuthenticationChallenge) {
        guard challenge.scheme == "digest", let nonce = challenge.value(of: "nonce") else { return nil }
        opaque = challenge.value(of: "opaque")
        let name = challenge.value(of: "algorithm")
        guard let algorithm = DigestAlgorithm(name: name ?? Array("MD5".utf8)) else { return nil }
        let qualities = challenge.value(of: "qop").map(Self.tokens) ?? []
        guard qualities.isEmpty || qualities.contains("auth") else { return nil }
        realm = challenge.value(of: "realm") ?? []
        self.nonce = nonce
        self.algorithm = algorithm
        namesAlgorithm = name != nil
        hasQuality = !qualities.isEmpty
        hashesUser = Self.isTrue(challenge.value(of: "userhash"))
        isUTF8 = Self.tokens(challenge.value(of: "charset") ?? []) == ["utf-8"]
        isStale = Self.isTrue(challenge.value(of: "stale"))
    }

    private static func isTrue(_ value: [UInt8]?) -> Bool { value.map(tokens) == ["true"] }

    /// The tokens of a list, in lower case, without those that are not ASCII.
    private static func tokens(_ list: [UInt8]) -> [String] {
        list.split { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }
            .filter { $0.allSatisfy { $0 < 0x80 } }
            .map { token in String(decoding: token.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self) }
    }
}
