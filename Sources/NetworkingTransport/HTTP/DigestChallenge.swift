// SPDX-License-Identifier: MIT

/// A challenge of the scheme Digest that can be answered (RFC 7616, section 3.3).
package struct DigestChallenge: Sendable, Equatable {
    let realm: [UInt8]
    let nonce: [UInt8]
    let opaque: [UInt8]?
    let algorithm: DigestAlgorithm
    /// Whether the server named the algorithm, which is then named to it.
    let namesAlgorithm: Bool
    /// Whether the answer has the quality of protection "auth"; a server that names none gets RFC 2069's answer.
    let hasQuality: Bool
    /// Whether the server finds users by a hash of their names.
    let hashesUser: Bool
    /// Whether the server reads UTF-8.
    let isUTF8: Bool
    /// Whether only the nonce of the answer before was wrong.
    package let isStale: Bool

    /// Nil when it is none of Digest's, lacks a nonce, or cannot be answered: it wants an algorithm that is not in
    /// `DigestAlgorithm`, or "auth-int" alone. No realm, which it has to have, is an empty one.
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

    /// A list of tokens, in lower case; none that is not ASCII.
    private static func tokens(_ list: [UInt8]) -> [String] {
        list.split { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }
            .filter { $0.allSatisfy { $0 < 0x80 } }
            .map { token in String(decoding: token.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self) }
    }
}
