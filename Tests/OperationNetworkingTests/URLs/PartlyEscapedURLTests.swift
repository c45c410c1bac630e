// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

@Suite("URLs that are escaped in part", .timeLimit(.minutes(1))) struct PartlyEscapedURLTests {
    private let server: TestServer

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .ok("arrived") }
    }

    @Test("Text of others becomes a URL whose escapes stay, also below another")
    func initializer() {
        #expect(
            URL(escaping: "http://h/%2F?u=%2Fx&f[a]=é#%20[")?.absoluteString
                == "http://h/%2F?u=%2Fx&f%5Ba%5D=%C3%A9#%20%5B")
        #expect(
            URL(escaping: "a%20b c", relativeTo: URL(string: "http://h/caf%E9/"))?.absoluteString
                == "http://h/caf%E9/a%20b%20c")
        #expect(URL(escaping: "http://bücher.de/ä%20")?.absoluteString == "http://xn--bcher-kva.de/%C3%A4%20")
        #expect(URL(escaping: "http://a b/") == nil && URL(escaping: "http://h:x/") == nil)
    }

    @Test(
        "A Location keeps its escapes",
        arguments: [
            ("/x?u=https%3A%2F%2Fh%2F&t=a[b]", "/x?u=https%3A%2F%2Fh%2F&t=a%5Bb%5D"),
            ("/a%2Fb c", "/a%2Fb%20c"), ("/ä%20", "/%C3%A4%20"), ("/100%?q=%20|", "/100%25?q=%20%7C"),
            ("x[%5B]?{%7B}", "/x%5B%5B%5D?%7B%7B%7D"), ("http://HOST/%e9\\", "/%e9%5C"), ("?[%5D", "/start?%5B%5D"),
            ("2024:01[%20", "/2024:01%5B%20"), ("/a#%20[", "/a"),
        ])
    func location(text: String, target: String) async {
        server.respond(to: "/start") { request in
            request.query == nil
                ? .redirect(to: text.replacingOccurrences(of: "HOST", with: request["Host"] ?? "")) : .ok("arrived")
        }
        #expect(await HTTPRequestOperation(server.url("/start")).outcome().text == "arrived")
        #expect(server.requests.last?.target == target)
    }

    @Test(
        "The octets of a Location are asked for, whatever charset they are in",
        arguments: [
            ("/caf\u{E9}", "/caf%E9"), ("/\u{FF}%20?\u{E4}[", "/%FF%20?%E4%5B"), ("/%C3%A9\u{E9}", "/%C3%A9%E9"),
        ])
    func locationOctets(text: String, target: String) async throws {
        let octets = try #require(text.data(using: .isoLatin1))
        server.respond(
            to: "/start",
            .script([
                .send(
                    Data("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8) + octets + Data("\r\n\r\n".utf8))
            ]))
        #expect(await HTTPRequestOperation(server.url("/start")).outcome().text == "arrived")
        #expect(server.requests.last?.target == target)
        let session = OperationURLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        _ = try await session.data(from: server.url("/start"))
        #expect(server.requests.last?.target == target)
    }

    @Test("A fragment goes over redirects as it is", arguments: ["a%20b", "%E9", "%2F?/%5B", "", "é%20"])
    func fragment(text: String) async throws {
        server.respond(to: "/start", .redirect(to: "/target?[%20"))
        let url = try #require(URL(escaping: server.url("/start").absoluteString + "#" + text))
        let operation = HTTPRequestOperation(url)
        #expect(await operation.outcome().text == "arrived")
        let expected = text == "é%20" ? "%C3%A9%20" : text
        #expect(operation.response?.url?.absoluteString == server.url("/target?%5B%20#").absoluteString + expected)
    }

    @Test(
        "A query block's text keeps its escapes, and the URL's own query does",
        arguments: [
            ("filter[a]=1&u=%2Fx", "filter%5Ba%5D=1&u=%2Fx"), ("é=%20%", "%C3%A9=%20%25"), ("a=b", "a=b"),
            ("a=#%23", "a=%23%23"),
        ])
    func queryBlock(text: String, query: String) throws {
        let serializer = HTTPRequestSerializer()
        serializer.setQueryStringSerialization { _, _ in text }
        let request = try serializer.request(
            withMethod: "GET", urlString: "http://h/p%2F[?own[%5B]=%2F#f%20[", parameters: ["a": 1])
        #expect(request.url?.absoluteString == "http://h/p%2F%5B?own%5B%5B%5D=%2F&\(query)#f%20%5B")
        let plain = try HTTPRequestSerializer().request(withMethod: "GET", urlString: "http://h/", parameters: text)
        #expect(plain.url?.absoluteString == "http://h/?\(query)")
        let form = try serializer.multipartFormRequest(
            withMethod: "POST", urlString: "http://h/[%5B", parameters: nil, constructingBodyWith: nil)
        #expect(form.url?.absoluteString == "http://h/%5B%5B")
    }

    @Test("Strings of both managers keep their escapes")
    func managers() throws {
        let base = URL(string: "http://h/caf%E9?x=/")
        let manager = HTTPRequestOperationManager(baseURL: base)
        #expect(manager.baseURL?.absoluteString == "http://h/caf%E9/?x=/")
        let operation = try manager.makeOperation(method: "GET", "a%2Fb[?c=%20 ")
        #expect(operation.request.url?.absoluteString == "http://h/caf%E9/a%2Fb%5B?c=%20%20")
        let sessions = HTTPSessionManager(baseURL: base)
        defer { sessions.invalidateSessionCancelingTasks(true) }
        #expect(sessions.baseURL?.absoluteString == "http://h/caf%E9/?x=/")
        let task = sessions.get("a%2Fb[?c=%20 ")
        #expect(task?.originalRequest?.url?.absoluteString == "http://h/caf%E9/a%2Fb%5B?c=%20%20")
        task?.cancel()
    }

    @Test("Requests are cancelled by their paths as they are sent")
    func cancelling() async throws {
        let gate = Gate()
        defer { gate.open() }
        server.respondToOthers { _ in ScriptedResponse.ok("").holding(gate, at: .beforeHead) }
        let manager = HTTPRequestOperationManager.offMain(server.url("/caf%E9"))
        func operation(_ path: String) throws -> HTTPRequestOperation { try #require(manager.get(path)) }
        let operations = try ["a%2Fb", "a/b", "%E9", "%41", "x y"].map(operation)
        func cancelled() -> [Bool] { operations.map(\.isCancelled) }
        for other in ["caf", "A%2Fb", "/a/b", "", "%C3%A9"] {
            manager.cancelAllHTTPOperations(method: nil, path: other)
        }
        #expect(cancelled() == [false, false, false, false, false])
        manager.cancelAllHTTPOperations(method: nil, path: "a/b")
        #expect(cancelled() == [false, true, false, false, false])
        manager.cancelAllHTTPOperations(method: nil, path: "a%2fb#x")
        #expect(cancelled() == [true, true, false, false, false])
        manager.cancelAllHTTPOperations(method: nil, path: "%e9")
        #expect(cancelled() == [true, true, true, false, false])
        manager.cancelAllHTTPOperations(method: nil, path: "A?q")
        manager.cancelAllHTTPOperations(method: nil, path: "x%20y")
        #expect(cancelled() == [true, true, true, true, true])
    }

    @Test("A proxy's user name and password keep their escapes")
    func proxy() throws {
        let proxy = try ProxyServer("http://us[er%40:p[%25@proxy:8080")
        #expect(proxy.credential?.user == "us[er@" && proxy.credential?.password == "p[%")
    }

    @Test("An archive has a Location byte for byte, without user name and password")
    func archive() {
        func value(_ text: String) -> String { HTTPArchiveEntry.masked("Location", text).value }
        #expect(value("/x?u=%2F&a[b]=é") == "/x?u=%2F&a[b]=é")
        #expect(value("http://u:p@h/a%20 b") == "http://h/a%20 b" && value("//u[:p@h/[%5B") == "//h/[%5B")
        #expect(value("http://a b/") == "***")
    }
}
