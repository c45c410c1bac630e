// SPDX-License-Identifier: MIT
import NetworkingSupport
import Testing

@testable import NetworkingTransport

/// URLs that a handle is asked for again and again are not taken apart again: the requests have to stay the same.
@Suite("Repeated URLs", .timeLimit(.minutes(1)))
struct RepeatedURLTests {
    /// Spellings that libcurl could change.
    private static let targets = [
        "/a/../b/./c?x=1&y=%2F%c3%A9", "/%2F%2f/a;b", "/?", "/a?x=?/..", "/a//b/", "/~a!*'()", "/a#fragment",
    ]

    @Test("A repeated request asks for the same as the first, and one for another URL in between for its own")
    func targets() async {
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                let words = request.lines[0].split(separator: " ")
                connection.respond("\(words[1]) \(request.value("Host") ?? "")")
            }
        }) { engine, server in
            let host = "127.0.0.1:\(server.port)"
            for target in Self.targets {
                let expected = "\(target.prefix { $0 != "#" }) \(host)"
                for _ in 0..<4 { #expect(await engine.run(TransferRequest(server.url + target)).text == expected) }
                #expect(await engine.run(TransferRequest(server.url + "/other")).text == "/other \(host)")
                #expect(await engine.run(TransferRequest(server.url + target)).text == expected)
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A repeated request whose connection was closed meanwhile is sent again for the same URL")
    func closedConnection() async {
        await withEngine(server: { connection in
            for _ in 0..<3 {
                guard let request = connection.readRequest() else { return }
                connection.respond("\(connection.number) \(request.lines[0].split(separator: " ")[1])")
            }
            // Seen by the client as the end of the connection, instead of a response.
            _ = connection.readRequest()
        }) { engine, server in
            for number in 1...3 {
                for _ in 0..<3 {
                    #expect(await engine.run(TransferRequest(server.url + "/a?b")).text == "\(number) /a?b")
                }
            }
        }
    }

    @Test("A URL is taken apart the second time in a row, and kept until another one comes")
    func counting() {
        var repeated = RepeatedURL()
        #expect(repeated.next("http://a/1") == nil)
        let parsed = repeated.next("http://a/1")
        #expect(parsed != nil)
        #expect(repeated.next("http://a/1") === parsed)
        #expect(repeated.next("http://a/2") == nil)
        #expect(repeated.next("http://a/1") == nil)
        // Equal to Unicode, and not the same.
        #expect(repeated.next("http://a/\u{E9}") == nil)
        #expect(repeated.next("http://a/e\u{301}") == nil)
        #expect(repeated.next("http://a/e\u{301}") != nil)
        // Left to libcurl, which says what is wrong.
        #expect(repeated.next("http://a:b/") == nil)
        #expect(repeated.next("http://a:b/") == nil)
    }
}
