// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

@Suite("Escaping URLs of others", .timeLimit(.minutes(1))) struct URLEscapingTests {
    @Test(
        "Escapes stay, and what may not stand where it does is escaped",
        arguments: [
            ("http://h/x?u=https%3A%2F%2Fh%2F&t=a[b]", "http://h/x?u=https%3A%2F%2Fh%2F&t=a%5Bb%5D"),
            ("http://h/%2f%C3%a9 é", "http://h/%2f%C3%a9%20%C3%A9"), ("/a%20b#a%20b[]", "/a%20b#a%20b%5B%5D"),
            ("?%20[x]", "?%20%5Bx%5D"), ("#%20#x", "#%20%23x"), ("http://h/a#b#c%23", "http://h/a#b%23c%23"),
            ("%", "%25"), ("a%2", "a%252"), ("%zz%20", "%25zz%20"), ("%%41", "%25%41"), ("%4%41", "%254%41"),
            ("/a\u{0}\n\u{7F}\t", "/a%00%0A%7F%09"), ("/\"<>\\^`{|}", "/%22%3C%3E%5C%5E%60%7B%7C%7D"),
            ("http://u[%40%]:p@w@h:1/", "http://u%5B%40%25%5D:p%40w@h:1/"),
            ("mailto:a b%20@c", "mailto:a%20b%20@c"), ("a[:b", "a%5B:b"), ("//h/ ", "//h/%20"), ("", ""),
            ("/e\u{301}%20", "/e%CC%81%20"), ("/\u{1F600}%41", "/%F0%9F%98%80%41"),
        ])
    func table(text: String, expected: String) {
        let escaped = URLEscaping.escaped(text)
        #expect(escaped.utf8.elementsEqual(expected.utf8), "\(escaped)")
        #expect(URLEscaping.escaped(escaped).utf8.elementsEqual(expected.utf8), "once is enough")
        #expect(URLEscaping.escaped(octets: Array(text.utf8)) == expected)
    }

    @Test(
        "What is legal stays, and so does the host",
        arguments: [
            "http://h", "HTTP://H:80/a;b=c,d/!$&'()*+,;=:@~-._?a/?!$&'()*+,;=:@#/?:@", "http://[::1]:8080/",
            "//bücher.de",
            "http://user:p%40ss@xn--bcher-kva.de./", "http://h%61/", "?a=b", "#", "../a", "http://a b/", "http://h:x/",
        ])
    func legal(text: String) {
        #expect(URLEscaping.escaped(text) == text)
    }

    @Test("Octets of any charset are escaped as they are; a host has to be UTF-8")
    func octets() {
        #expect(
            URLEscaping.escaped(octets: Array("/caf".utf8) + [0xE9, 0x20] + Array("%E9?".utf8) + [0xFF])
                == "/caf%E9%20%E9?%FF")
        #expect(URLEscaping.escaped(octets: Array("http://h".utf8) + [0xE9]) == nil)
        #expect(URLEscaping.escaped(octets: Array("http://".utf8) + [0xE9] + Array("@h/".utf8)) == "http://%E9@h/")
    }

    /// Whatever comes: Foundation has nothing to add.
    @Test("Foundation takes what was escaped without a change")
    func foundation() {
        let pieces = [
            "%20", "%", "%2F", "[", "]", "a", "/", "?", "#", "é", " ", "@", ":", "\u{1}", "%e9", "\\", "|", "'", "+",
            "e\u{301}",
        ]
        var generator = SeededRandom(seed: 5)
        for _ in 0..<20_000 {
            let tail = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
            let escaped = URLEscaping.escaped("http://host/" + tail)
            #expect(URL(string: escaped)?.absoluteString == escaped)
        }
    }

    @Test(
        "Paths are compared by what they stand for",
        arguments: [
            ("", "/", true), ("/a", "/%61", true), ("/caf%e9", "/caf%E9", true), ("/a%2Fb", "/a/b", false),
            ("/a%2fb", "/a%2Fb", true), ("/%7e", "/~", true), ("/a", "/A", false), ("/%3B", "/;", false),
            ("/a/", "/a", false), ("/%", "/%25", false),
        ])
    func paths(left: String, right: String, areEqual: Bool) {
        #expect((URLEscaping.normalizedPath(left) == URLEscaping.normalizedPath(right)) == areEqual)
    }

    @Test("What escapes stand for")
    func decoding() {
        #expect(URLEscaping.decoded("a%2F%e9%C3%A9%%4g%4".utf8) == Array("a/".utf8) + [0xE9] + Array("é%%4g%4".utf8))
    }

    @Test("Long text takes linear time")
    func linear() {
        let seconds = processorSeconds {
            for piece in ["%", "%2", "[", "e\u{301}\u{316}", "@", "#"] {
                _ = URLEscaping.escaped("http://h/" + String(repeating: piece, count: 1 << 18))
            }
        }
        #expect(seconds < 20 * Patience.factor)
    }
}
