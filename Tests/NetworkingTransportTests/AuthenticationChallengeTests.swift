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
                // "/" is in no token.
                Self.challenge("digest", [("nonce", "a/b")]),
            ])
    }

    @Test(
        "What is malformed is left out, and disturbs neither its challenge nor what follows",
        arguments: [
            ("", []), (" , ,, ", []), ("Basic", ["basic"]), ("Basic,Digest a=b", ["basic", "digest"]),
            ("Basic realm=\"no end, Digest a=b", ["basic", "digest"]),
            ("Basic realm=\"a\u{1}b\", Digest a=b", ["basic", "digest"]),
            ("Basic a=b, realm=, Digest a=b", ["basic", "digest"]),
            ("Basic realm=, Digest a=b", ["basic", "digest"]), ("(x) \"y, z\", Digest a=b", ["digest"]),
            ("realm=x, Basic", ["basic"]), ("Basic realm=\"a\"b, Digest a=b", ["basic", "digest"]), ("=,=\"", []),
            ("Basic realm=\"a\\", ["basic"]), ("e\u{301} realm=x, Basic", ["basic"]),
            ("Basic (x), Digest a=b", ["basic", "digest"]), ("Basic ,", ["basic"]), ("\tBasic\t,\t", ["basic"]),
            ("Basic realm", ["basic"]), ("Basic realm \"x\"", ["basic", "realm"]), ("Basic realm=\u{1}", ["basic"]),
            ("Basic realm=\"a\" Digest a=b", ["basic", "digest"]), (",Basic,,Digest,", ["basic", "digest"]),
            ("Basic=x, Digest", ["digest"]),
        ] as [(String, [String])])
    func malformed(field: String, schemes: [String]) {
        #expect(Self.parse([field]).map(\.scheme) == schemes)
    }

    @Test(
        "Values that are off the grammar",
        arguments: [
            ("Basic realm=Sandstorm API", "Sandstorm API"), ("Basic realm='Sandstorm API'", "'Sandstorm API'"),
            ("Basic realm=foo", "foo"), ("Basic realm=\"foo", "\"foo"), ("Basic realm=\"a, b", "\"a"),
            ("Basic realm=a/b==; x , charset=UTF-8", "a/b==; x"), ("Basic realm=\"a\" charset=x", "a"),
            ("Basic charset=\"x\"realm=y, realm=\"a\"", "a"), ("Basic\trealm\t=\t\"a\"\t,", "a"),
            ("Basic realm=a\r\n b", "a b"), ("Basic realm=,realm=b", "b"), ("Basic x y=z, realm=b", nil),
            ("Basic realm=\"\"", ""), ("Basic ,realm=b", "b"), ("Basic \"x\", realm=b", "b"),
            ("Basic realm=\"say \\\"a\\\"\"", "say \"a\""),
        ] as [(String, String?)])
    func values(field: String, realm: String?) {
        let challenge = Self.parse([field]).first
        #expect(challenge?.scheme == "basic")
        #expect(challenge?.value(of: "realm").map { String(decoding: $0, as: UTF8.self) } == realm)
    }

    @Test("Digest without quotes, and without commas after quoted values, as curl reads it")
    func digest() throws {
        for field in [
            "Digest realm=a b, nonce=x/y==, qop=auth", "Digest realm=\"a b\" nonce=\"x/y==\" qop=\"auth\"",
            "Digest junk, realm=\"a b\",, nonce=\"x/y==\", qop=auth, opaque=",
        ] {
            let challenge = try #require(Self.parse([field]).first { $0.scheme == "digest" })
            let names = ["realm", "nonce", "qop"]
            let values = names.map { challenge.value(of: $0).map { String(decoding: $0, as: UTF8.self) } }
            #expect(values == ["a b", "x/y==", "auth"], "\(field)")
        }
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
        let pieces = [
            "e\u{301}\u{316}", "a=\"", "\\", ",", "a ", "a=b,", "\"a\",", "a=\"\\\",", "\\\"", "\"\\", "a=\"\\",
        ]
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
