// SPDX-License-Identifier: MIT
import Testing

@testable import NetworkingTransport

@Suite("Basic and Digest", .timeLimit(.minutes(1))) struct DigestAuthenticationTests {
    private static func challenges(_ field: String) -> [AuthenticationChallenge] {
        AuthenticationChallenge.all(
            in: ResponseHead(
                statusCode: 401, httpVersion: "1.1", rawFields: Array("WWW-Authenticate: \(field)\r\n".utf8)))
    }

    private static func challenge(_ parameters: String) throws -> DigestChallenge {
        try #require(challenges("Digest " + parameters).first.flatMap { DigestChallenge($0) })
    }

    /// The parameters of an `Authorization` field, with quotes and escapes.
    private static func parameters(_ octets: [UInt8]) throws -> [String: String] {
        let field = String(decoding: octets, as: UTF8.self)
        #expect(field.hasPrefix("Digest "))
        var result: [String: String] = [:]
        for part in field.dropFirst(7).split(separator: ", ") {
            let pair = part.split(separator: "=", maxSplits: 1)
            result[String(try #require(pair.first))] = String(try #require(pair.last))
        }
        return result
    }

    /// RFC 7616, 3.9.1, and the same with "-sess", as Python's hashlib computes it.
    @Test(
        "The examples of RFC 7616 with MD5 and SHA-256",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"), ("MD5-sess", "e783283f46242139c486a698fec7211d"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
            ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ])
    func example(algorithm: String, response: String) throws {
        let challenge = try Self.challenge(
            """
            realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """)
        var digest = DigestAuthentication(
            user: "Mufasa", password: "Circle of Life", challenge: challenge,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        let parameters = try Self.parameters(try digest.fieldValue(method: "GET", target: "/dir/index.html"))
        #expect(
            parameters == [
                "username": "\"Mufasa\"", "realm": "\"http-auth@example.org\"", "uri": "\"/dir/index.html\"",
                "algorithm": algorithm, "nonce": "\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\"", "nc": "00000001",
                "cnonce": "\"f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ\"", "qop": "auth",
                "response": "\"\(response)\"", "opaque": "\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"",
            ])
        let second = try Self.parameters(try digest.fieldValue(method: "GET", target: "/dir/index.html"))
        #expect(second["nc"] == "00000002" && second["response"] != parameters["response"])
    }

    /// RFC 7616, 3.9.2, with the values of its erratum 4897.
    @Test("The example with SHA-512-256, a hashed user name and UTF-8")
    func exampleWithHashedUser() throws {
        let challenge = """
            realm="api@example.org", qop="auth", algorithm=SHA-512-256, charset=UTF-8, \
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS"
            """
        let nonce = "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"
        let response = "\"3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5\""
        var hashed = DigestAuthentication(
            user: "J\u{e4}s\u{f8}n Doe", password: "Secret, or not?",
            challenge: try Self.challenge(challenge + ", userhash=true"), clientNonce: nonce)
        let parameters = try Self.parameters(try hashed.fieldValue(method: "GET", target: "/doe.json"))
        #expect(parameters["username"] == "\"793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b\"")
        #expect(parameters["userhash"] == "true" && parameters["response"] == response)
        var plain = DigestAuthentication(
            user: "J\u{e4}s\u{f8}n Doe", password: "Secret, or not?", challenge: try Self.challenge(challenge),
            clientNonce: nonce)
        let extended = try Self.parameters(try plain.fieldValue(method: "GET", target: "/doe.json"))
        #expect(extended["username*"] == "UTF-8''J%C3%A4s%C3%B8n%20Doe" && extended["username"] == nil)
        #expect(extended["response"] == response)
    }

    /// The example of RFC 2069 as its errata correct it.
    @Test("Without qop the answer is that of RFC 2069, and what the server did not say is not said to it")
    func legacy() throws {
        let challenge = try Self.challenge(
            "realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\"")
        var digest = DigestAuthentication(user: "Mufasa", password: "CircleOfLife", challenge: challenge)
        let parameters = try Self.parameters(try digest.fieldValue(method: "GET", target: "/dir/index.html"))
        #expect(parameters["response"] == "\"1949323746fe6a43ef61f9606e7febea\"")
        #expect(Set(parameters.keys) == ["username", "realm", "nonce", "uri", "response"])
    }

    @Test("Quotes and backslashes are escaped on the way, and hashed as they are")
    func quoting() throws {
        let challenge = try Self.challenge("realm=\"a\\\"b\\\\c\", nonce=\"n\\\"\", algorithm=md5, qop=auth")
        var digest = DigestAuthentication(user: "u\"\\", password: "p", challenge: challenge, clientNonce: "c")
        let parameters = try Self.parameters(try digest.fieldValue(method: "GET", target: "/"))
        #expect(parameters["username"] == #""u\"\\""#)
        #expect(parameters["realm"] == #""a\"b\\c""# && parameters["nonce"] == #""n\"""#)
        #expect(parameters["algorithm"] == "MD5")
    }

    @Test(
        "What cannot be answered is no challenge",
        arguments: [
            "Basic realm=x, nonce=n", "Digest realm=x", "Digest realm=x, nonce=n, algorithm=SHA-1",
            "Digest realm=x, nonce=n, qop=auth-int", "Digest realm=x, nonce=n, algorithm=\"\"",
        ])
    func unanswerable(field: String) {
        #expect(Self.challenges(field).allSatisfy { DigestChallenge($0) == nil })
    }

    /// The hashes are those of Python's hashlib over the octets.
    @Test("Octets of the server are hashed and sent back as they came, whatever charset they are in")
    func octets() throws {
        let head =
            Array("WWW-Authenticate: Digest realm=\"caf".utf8) + [0xE9] + Array("\", nonce=\"".utf8)
            + [0xFF, 0xC3] + Array("\", opaque=".utf8) + [0xA0] + Array(", qop=auth\r\n".utf8)
        let challenges = AuthenticationChallenge.all(
            in: ResponseHead(statusCode: 401, httpVersion: "1.1", rawFields: head))
        var digest = DigestAuthentication(
            user: "J\u{e4}s\u{f8}n", password: "p\u{e4}ss",
            challenge: try #require(challenges.first.flatMap { DigestChallenge($0) }), clientNonce: "c")
        let field = try digest.fieldValue(method: "GET", target: "/")
        let parts: [[UInt8]] = [
            Array("realm=\"caf".utf8) + [0xE9, UInt8(ascii: "\"")],
            Array("nonce=\"".utf8) + [0xFF, 0xC3, UInt8(ascii: "\"")],
            Array("opaque=\"".utf8) + [0xA0, UInt8(ascii: "\"")], Array("username=\"J\u{e4}s\u{f8}n\"".utf8),
            Array("response=\"07e10019d50e703ce29daed07acdfe32\"".utf8),
        ]
        for part in parts {
            #expect(
                field.indices.contains { field[$0...].starts(with: part) }, "\(String(decoding: part, as: UTF8.self))")
        }
        let sent = HeaderField("Authorization", octets: field)
        #expect(sent.octets == field && sent.value.contains("realm=\"caf\u{e9}\""))
    }

    @Test("Without a realm it is empty, as curl has it")
    func noRealm() throws {
        var digest = DigestAuthentication(user: "u", password: "p", challenge: try Self.challenge("nonce=n"))
        let parameters = try Self.parameters(try digest.fieldValue(method: "GET", target: "/"))
        #expect(parameters["realm"] == "\"\"" && parameters["response"] == "\"04ee1f01faf9f1764dadb343e35ff409\"")
    }

    @Test("A stale nonce is replaced, a few times; a refusal is not taken for one")
    func renewal() throws {
        var digest = DigestAuthentication(
            user: "u", password: "p", challenge: try Self.challenge("realm=x, nonce=n0, qop=auth"))
        let stale = try Self.challenge("realm=x, nonce=n1, qop=auth, stale=TRUE")
        #expect(digest.renewed(by: stale) == nil, "nothing was answered yet")
        _ = try digest.fieldValue(method: "GET", target: "/")
        #expect(digest.renewed(by: try Self.challenge("realm=x, nonce=n1, qop=auth")) == nil)
        #expect(digest.renewed(by: try Self.challenge("realm=x, nonce=n0, qop=auth, stale=true")) == nil)
        for other in [
            "realm=y, nonce=n1, qop=auth, stale=true", "realm=x, nonce=n1, qop=auth, stale=true, algorithm=SHA-256",
            "realm=x, nonce=n1, stale=true",
        ] {
            #expect(digest.renewed(by: try Self.challenge(other)) == nil, "\(other)")
        }
        var rounds = 0
        while let renewed = digest.renewed(
            by: try Self.challenge("realm=x, nonce=r\(rounds), qop=auth, stale=\"true\"")), rounds < 100
        {
            digest = renewed
            rounds += 1
            let parameters = try Self.parameters(try digest.fieldValue(method: "GET", target: "/"))
            #expect(parameters["nc"] == "00000001" && parameters["nonce"] == "\"r\(rounds - 1)\"")
        }
        #expect(rounds == 8)
    }

    @Test("Control characters are an error, whatever the scheme; a colon in the name is one for Basic")
    func controlCharacters() throws {
        let challenge = try Self.challenge("realm=x, nonce=n")
        for byte in Array(0..<0x20) + [0x7F] {
            let text = "a" + String(Unicode.Scalar(UInt8(byte)))
            var (user, password) = (
                DigestAuthentication(user: text, password: "p", challenge: challenge),
                DigestAuthentication(user: "u", password: text, challenge: challenge)
            )
            #expect(throws: AuthenticationError.controlCharacterInUser) {
                try user.fieldValue(method: "GET", target: "/")
            }
            #expect(throws: AuthenticationError.controlCharacterInPassword) {
                try password.fieldValue(method: "GET", target: "/")
            }
            #expect(throws: AuthenticationError.controlCharacterInUser) {
                try BasicAuthentication(user: text, password: "p").fieldValue()
            }
            #expect(throws: AuthenticationError.controlCharacterInPassword) {
                try BasicAuthentication(user: "u", password: text).fieldValue()
            }
        }
        #expect(throws: AuthenticationError.colonInUser) {
            try BasicAuthentication(user: "a:b", password: "p").fieldValue()
        }
        let field = try BasicAuthentication(user: "Aladdin", password: "open sesame").fieldValue()
        #expect(field == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test("A dump shows neither name nor password, and each answer has a nonce of its own")
    func secrets() throws {
        let challenge = try Self.challenge("realm=x, nonce=n, qop=auth")
        var digest = DigestAuthentication(user: "somebody", password: "hunter2", challenge: challenge)
        var other = DigestAuthentication(user: "somebody", password: "hunter2", challenge: challenge)
        var text = ""
        dump(digest, to: &text)
        dump(BasicAuthentication(user: "somebody", password: "hunter2"), to: &text)
        #expect(!text.contains("hunter2") && !text.contains("somebody"))
        #expect(
            try digest.fieldValue(method: "GET", target: "/") != other.fieldValue(method: "GET", target: "/"))
    }

    @Test(
        "The request target of a URL",
        arguments: [
            ("http://h", "/"), ("http://h/", "/"), ("https://h:1/a%2Fb/../c?d=/e?f", "/a%2Fb/../c?d=/e?f"),
            ("http://h?q", "/?q"), ("HTTP://h?/", "/?/"), ("http:", "/"), ("", "/"), ("http://[::1]:8/x:y", "/x:y"),
        ])
    func target(url: String, target: String) {
        #expect(OriginForm.make(of: url) == target)
    }
}
