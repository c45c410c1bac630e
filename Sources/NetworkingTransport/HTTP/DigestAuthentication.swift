// SPDX-License-Identifier: MIT

/// A user name and password as the scheme Digest proves them (RFC 7616): one answer for each request, with a count that
/// grows.
package struct DigestAuthentication: Sendable, CustomReflectable {
    private let user: String
    private let password: String
    private let challenge: DigestChallenge
    private let clientNonce: String
    /// Requests answered with this nonce.
    private var count: UInt32 = 0
    /// The number of times that the server gave another nonce in place of one that it found stale.
    private var renewals = 0

    /// The largest number of renewals: a server that finds every nonce stale is not asked for ever.
    private static let maximumRenewals = 8

    /// - Parameter clientNonce: 128 random bits by default.
    package init(user: String, password: String, challenge: DigestChallenge, clientNonce: String? = nil) {
        self.user = user
        self.password = password
        self.challenge = challenge
        self.clientNonce = clientNonce ?? Self.randomNonce()
    }

    /// The answer to a challenge which says that only the nonce of this one was wrong. Nil: it says something else, or
    /// has said it too often. A challenge of another realm, or in a weaker form, is a new one that has no answer yet.
    package func renewed(by next: DigestChallenge) -> DigestAuthentication? {
        guard next.isStale, next.nonce != challenge.nonce, count > 0, renewals < Self.maximumRenewals,
            next.realm == challenge.realm, next.algorithm == challenge.algorithm,
            next.hasQuality || !challenge.hasQuality, next.hashesUser || !challenge.hashesUser
        else { return nil }
        var renewed = DigestAuthentication(user: user, password: password, challenge: next)
        renewed.renewals = renewals + 1
        return renewed
    }

    /// The octets of `Authorization` for the next request, which contain what the server sent as it came.
    ///
    /// - Parameters:
    ///   - method: The method, as it is sent.
    ///   - target: The path and query, as in the request line.
    package mutating func fieldValue(method: String, target: String) throws(AuthenticationError) -> [UInt8] {
        try AuthenticationError.check(user: user, password: password)
        count &+= 1
        let hexadecimal = String(count, radix: 16)
        let nonceCount = String(repeating: "0", count: max(0, 8 - hexadecimal.utf8.count)) + hexadecimal
        let request = try hash([Array(method.utf8), Array(target.utf8)])
        var parts = [try secret(), challenge.nonce]
        if challenge.hasQuality { parts += [Array(nonceCount.utf8), Array(clientNonce.utf8), Array("auth".utf8)] }
        let response = try hash(parts + [request])

        var field = try userParameters()
        field += quoted("realm", challenge.realm) + quoted("nonce", challenge.nonce)
        field += quoted("uri", Array(target.utf8)) + quoted("response", response)
        if challenge.namesAlgorithm { field += plain("algorithm", challenge.algorithm.name) }
        if let opaque = challenge.opaque { field += quoted("opaque", opaque) }
        if challenge.hasQuality {
            field += plain("qop", "auth") + plain("nc", nonceCount)
        }
        if challenge.hasQuality || challenge.algorithm.isSession { field += quoted("cnonce", Array(clientNonce.utf8)) }
        // Every parameter begins with ", ".
        return Array("Digest ".utf8) + field.dropFirst(2)
    }

    /// H(A1) of RFC 7616, section 3.4.2.
    private func secret() throws(AuthenticationError) -> [UInt8] {
        let secret = try hash([Array(user.utf8), challenge.realm, Array(password.utf8)])
        guard challenge.algorithm.isSession else { return secret }
        return try hash([secret, challenge.nonce, Array(clientNonce.utf8)])
    }

    /// The user's name, or what takes its place.
    private func userParameters() throws(AuthenticationError) -> [UInt8] {
        if challenge.hashesUser {
            return quoted("username", try hash([Array(user.utf8), challenge.realm])) + plain("userhash", "true")
        }
        // A server that does not say what it reads gets the bytes as they are, as from other clients.
        guard challenge.isUTF8, user.utf8.contains(where: { $0 >= 0x80 }) else {
            return quoted("username", Array(user.utf8))
        }
        return plain("username*", "UTF-8''" + Self.percentEncoded(user))
    }

    private func hash(_ parts: [[UInt8]]) throws(AuthenticationError) -> [UInt8] {
        guard let digest = challenge.algorithm.hexDigest(of: Array(parts.joined(separator: [UInt8(ascii: ":")]))) else {
            throw .digestUnavailable
        }
        return digest
    }

    private func plain(_ name: String, _ value: String) -> [UInt8] { Array(", \(name)=\(value)".utf8) }

    /// A quoted string (RFC 9110, section 5.6.4).
    private func quoted(_ name: String, _ value: [UInt8]) -> [UInt8] {
        var result = Array(", \(name)=\"".utf8)
        for byte in value {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { result.append(UInt8(ascii: "\\")) }
            result.append(byte)
        }
        return result + [UInt8(ascii: "\"")]
    }

    /// RFC 8187, section 3.2.1.
    private static func percentEncoded(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.append(byte)
            default: URLEscaping.appendEscape(byte, to: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// 32 hexadecimal digits from the system's secure generator.
    private static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = (0..<32).map { _ in DigestAlgorithm.digit(UInt8.random(in: 0...15, using: &generator)) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Nothing: a dump shows no password.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
