// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking

extension FuzzTarget {
    /// A reply as a whole. The first byte says where it is cut.
    static let response = FuzzTarget(
        "response", maximumLength: 16_384,
        texts: [
            "\u{0}HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nhello",
            "\u{9}HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nX: 1\r\n\r\n",
            "\u{20}HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.0 404 Not Found\r\n\r\nno",
            "\u{0}HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\u{1F}\u{8B}",
            "\u{0}HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1/2\r\nETag: \"a\"\r\nContent-Length: 2\r\n\r\nok",
        ]
    ) { input in
        Exchange.shared.run([input.dropFirst()], cut: Int(input.first ?? 0))
    }

    /// The value of `Location`.
    static let redirect = FuzzTarget(
        "redirect",
        texts: [
            "/fine", "http://127.0.0.1/x?y#z", "//host:81/../a", "http://u%0d%0a:p@host/", "?q", "HTTPS://[::1]:8080/",
        ]
    ) { input in
        let reply = Data("HTTP/1.1 302 Found\r\nLocation: ".utf8) + input + Data("\r\nContent-Length: 0\r\n\r\n".utf8)
        Exchange.shared.run([reply, Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)])
    }

    /// The value of `Set-Cookie`.
    static let cookie = FuzzTarget(
        "cookie",
        texts: [
            "a=b", "sid=1; Path=/; Domain=127.0.0.1; Secure; HttpOnly; SameSite=Lax",
            "__Host-x=\"y\"; Max-Age=10; Expires=Wed, 21 Oct 2037 07:28:00 GMT", "=; ;=;",
        ]
    ) { input in
        let reply =
            Data("HTTP/1.1 302 Found\r\nLocation: /\r\nSet-Cookie: ".utf8) + input
            + Data("\r\nContent-Length: 0\r\n\r\n".utf8)
        Exchange.shared.run([reply, Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)])
    }

    /// The value of `WWW-Authenticate`.
    static let challenge = FuzzTarget(
        "challenge",
        texts: [
            "Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\", qop=\"auth,auth-int\", algorithm=SHA-256, opaque=o",
            "Digest realm=\"x\", nonce=\"n\", stale=true, userhash=true, algorithm=MD5-sess, Basic realm=\"a\\\"b\"",
            "Foo abc==, Digest realm=x", "Negotiate", "NTLM TlRMTVNTUAACAAAA",
        ]
    ) { input in
        let reply =
            Data("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: ".utf8) + input
            + Data("\r\nContent-Length: 0\r\n\r\n".utf8)
        Exchange.shared.run(
            [reply], credential: URLCredential(user: "user", password: "password", persistence: .none))
    }
}
