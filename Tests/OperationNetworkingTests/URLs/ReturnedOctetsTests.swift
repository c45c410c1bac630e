// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// What a server sends and gets back, in octets that are not UTF-8.
@Suite("Octets that go back to the server", .timeLimit(.minutes(1))) struct ReturnedOctetsTests {
    private let server: TestServer

    init() throws {
        server = try TestServer()
    }

    /// A response with a character of Latin-1 for each octet of its head.
    private static func response(_ head: String, _ content: String = "") throws -> ScriptedResponse {
        let lines = "HTTP/1.1 \(head)\r\nContent-Length: \(content.utf8.count)\r\n\r\n"
        return .script([.send(try #require(lines.data(using: .isoLatin1)) + Data(content.utf8))])
    }

    /// Something in UTF-8, which the test server does not read so where the head as a whole is not.
    private static let probe = ["X-Probe": "\u{fc}"]

    private static func isLatin1(_ request: RecordedRequest) -> Bool { request["X-Probe"] == "\u{c3}\u{bc}" }

    @Test("A Digest realm in Latin-1 is answered with its octets")
    func digest() async throws {
        let denial = try Self.response(
            "401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"caf\u{e9}\", nonce=\"\u{ff}n\", opaque=\"\u{a0}\"")
        server.respondToOthers { $0["Authorization"] == nil ? denial : .ok("welcome") }
        let operation = HTTPRequestOperation(server.url("/"), headers: Self.probe)
        operation.credential = URLCredential(user: "user", password: "secret", persistence: .none)
        #expect(await operation.outcome().text == "welcome")
        let request = try #require(server.requests.last)
        #expect(Self.isLatin1(request))
        let field = request["Authorization"] ?? ""
        // hashlib.md5 of the octets.
        for part in [
            "realm=\"caf\u{e9}\"", "nonce=\"\u{ff}n\"", "opaque=\"\u{a0}\"",
            "response=\"14286491dd7503ff6ee29473dfe312bc\"",
        ] {
            #expect(field.contains(part), "\(part) in \(field)")
        }
    }

    @Test("An entity tag with octets above ASCII is sent back as it came", arguments: ["\u{e9}", "\u{c3}\u{a9}"])
    func entityTag(tag: String) async throws {
        let first = try Self.response("200 OK\r\nETag: \"\(tag)\"\r\nCache-Control: no-cache", "content")
        server.respondToOthers { $0["If-None-Match"] == nil ? first : .status(304) }
        let manager = HTTPRequestOperationManager.offMain(server.url("/"))
        manager.urlCache = URLCache(memoryCapacity: 8 << 20, diskCapacity: 0, diskPath: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        func send() async -> HTTPOutcome {
            var request = URLRequest(url: server.url("/x"))
            for (name, value) in Self.probe { request.setValue(value, forHTTPHeaderField: name) }
            return await manager.httpRequestOperation(with: request).outcome()
        }
        #expect(await send().text == "content")
        #expect(await send().text == "content")
        let request = try #require(server.requests.last)
        // The second is the same character in UTF-8.
        #expect(request["If-None-Match"] == "\"\u{e9}\"")
        #expect(Self.isLatin1(request) == (tag == "\u{e9}"))
    }

    @Test("A cookie's octets are sent back as they came, also from a file", arguments: [false, true])
    func cookie(isFromFile: Bool) async throws {
        let setting = try Self.response(
            "200 OK\r\nSet-Cookie: a=caf\u{e9}\u{c3}; Max-Age=1000\r\nSet-Cookie: b=\u{c3}\u{a9}; Max-Age=1000")
        server.respond(to: "/set", setting)
        server.respond(to: "/get", .ok(""))
        var storage = try HTTPCookieStorage.inMemory()
        func send(_ path: String) async {
            let manager = HTTPRequestOperationManager.offMain(nil)
            manager.cookieStorage = storage
            manager.responseSerializer = HTTPResponseSerializer()
            let url = server.url(path)
            _ = await manager.httpRequestOperation(with: URLRequest(url: url)).outcome()
        }
        await send("/set")
        if isFromFile {
            let folder = try TemporaryDirectory()
            let file = CookieFile(url: folder.file("cookies.json"))
            try file.save(storage)
            storage = try HTTPCookieStorage.inMemory()
            try file.load(into: storage)
        }
        await send("/get")
        // As Latin-1, which the head as a whole is then.
        #expect(server.requests.last?["Cookie"] == "a=caf\u{e9}\u{c3}; b=\u{c3}\u{a9}")
        #expect(storage.cookies?.first { $0.name == "a" }?.value == "caf\u{e9}\u{c3}")
        #expect(storage.cookies?.first { $0.name == "b" }?.value == "\u{e9}")
    }

    @Test("A download goes on with an entity tag that is not UTF-8, also from a note")
    func ranges() async throws {
        let content = "0123456789"
        let head = "ETag: \"\u{e9}\"\r\nAccept-Ranges: bytes\r\nContent-Length: "
        let broken = try #require("HTTP/1.1 200 OK\r\n\(head)10\r\n\r\n01234".data(using: .isoLatin1))
        let rest = try Self.response("206 Partial Content\r\nETag: \"\u{e9}\"\r\nContent-Range: bytes 5-9/10", "56789")
        server.respondToOthers { $0["If-Range"] == nil ? .script([.send(broken), .close]) : rest }
        let folder = try TemporaryDirectory()
        let file = folder.file("x")
        func download() async -> HTTPOutcome {
            let operation = HTTPRequestOperation(server.url("/"), headers: Self.probe)
            operation.retryPolicy = nil
            operation.downloadDestination = DownloadDestination(fileURL: file)
            return await operation.outcome()
        }
        _ = await download()
        if FileManager.default.contents(atPath: file.path) == nil { _ = await download() }
        #expect(FileManager.default.contents(atPath: file.path) == Data(content.utf8))
        let request = try #require(server.requests.last)
        #expect(request["If-Range"] == "\"\u{e9}\"" && request["Range"] == "bytes=5-" && Self.isLatin1(request))
    }
}
