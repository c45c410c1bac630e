// SPDX-License-Identifier: MIT
import Testing

@testable import NetworkingTransport

@Suite("WWW-Authenticate", .timeLimit(.minutes(1))) struct AuthenticationChallengeTests {
    private typealias Challenge = AuthenticationChallenge

    private static func parse(_ fields: [String]) -> [Challenge] {
        let lines = fields.map { "WWW-Authenticate: \($0)\r\n" }.joined()
        return Challenge.all(in: ResponseHead(statusCode: 401, httpVersion: "1.1", rawFields: Array(lines.utf8)))
    }

    private static func challenge(_ scheme: String, _ parameters: [(String, String)] = [], token68: String? = nil)
        -> Challenge
    {
        Challenge(
            scheme: scheme, parameters: parameters.map { .init(name: $0.0, value: Array($0.1.utf8)) },
            token68: token68.map { Array($0.utf8) })
    }

    @Test("Several challenges in several fields, as RFC 9110 writes them")
    func several() {
        let field =
            "Basic realm=\"simple\", NewAuth realm = \"apps\" , type=1,\r\n title=\"Login to \\\"apps\\\", or else\""
        #expect(
            Self.parse([field, "NEGOTIATE", "NTLM TlRMTVNTUAAC==, digest Nonce=a/b"]) == [
                Self.challenge("basic", [("realm", "simple")]),
                Self.challenge(
                    "newauth", [("realm", "apps"), ("type", "1"), ("title", "Login to \"apps\", or else")]),
                Self.challenge("negotiate"),
                Self.challenge("ntlm", token68: "TlRMTVNTUAAC=="),
            ])
    }

    @Test(
        "What is malformed is left out, and does not disturb what follows",
        arguments: [
            ("", []), (" , ,, ", []), ("Basic", ["basic"]), ("Basic,Digest a=b", ["basic", "digest"]),
            ("Basic realm=\"no end, Digest a=b", []), ("Basic realm=\"a\u{1}b\", Digest a=b", ["digest"]),
            ("Basic a=b, realm=, Digest a=b", ["digest"]),
            ("Basic realm=, Digest a=b", ["basic", "digest"]), ("(x) \"y, z\", Digest a=b", ["digest"]),
            ("realm=x, Basic", ["basic"]), ("Basic realm=\"a\"b, Digest a=b", ["digest"]), ("=,=\"", []),
            ("Basic realm=\"a\\", []), ("e\u{301} realm=x, Basic", ["basic"]),
        ] as [(String, [String])])
    func malformed(field: String, schemes: [String]) {
        #expect(Self.parse([field]).map(\.scheme) == schemes)
    }

    @Test("The first of two parameters of one name counts; names have no case")
    func repeated() {
        let challenge = Self.parse(["Basic REALM=first, realm=second"]).first
        #expect(challenge?.value(of: "realm") == Array("first".utf8))
    }

    @Test("Long fields are not read, nor are challenges beyond the thirty-second")
    func bounds() {
        let filler = String(repeating: "x", count: Challenge.maximumFieldLength)
        #expect(Self.parse(["Basic realm=\"\(filler)\"", "Digest a=b"]).map(\.scheme) == ["digest"])
        #expect(Self.parse([(0..<100).map { "s\($0)" }.joined(separator: ",")]).count == 32)
        #expect(Self.parse((0..<100).map { "s\($0)" }).last?.scheme == "s31")
    }

    @Test("Hundreds of kilobytes of anything cost no more than a moment")
    func linear() {
        let pieces = ["e\u{301}\u{316}", "a=\"", "\\", ",", "a ", "a=b,", "\"a\","]
        let begin = ContinuousClock.now
        for piece in pieces {
            let line = String(repeating: piece, count: (Challenge.maximumFieldLength - 16) / piece.utf8.count)
            _ = Self.parse(Array(repeating: line, count: 8))
            _ = Self.parse([String(repeating: piece, count: 1 << 17)])
        }
        // In quadratic time it would be minutes.
        #expect(ContinuousClock.now - begin < .seconds(20))
    }
}
