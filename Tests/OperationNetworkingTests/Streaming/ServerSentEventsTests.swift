// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Server-sent events", .timeLimit(.minutes(1))) struct ServerSentEventsTests {
    private static func stream(_ text: String, status: Int = 200) -> ScriptedResponse {
        ScriptedResponse(
            status: status, headers: [("Content-Type", "Text/Event-Stream; charset=utf-8")], body: .chunks([text]))
    }

    @Test("Events come as they are sent; the request asks for them; one that breaks off is dropped")
    func events() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in Self.stream("id: 1\ndata: a\n\nevent: b\ndata: c\n\ndata: lost") }
        let operation = HTTPRequestOperation.make(server.url())
        let (events, error) = await operation.events.collected()
        #expect(
            events == [ServerSentEvent(id: "1", data: "a"), ServerSentEvent(id: "1", event: "b", data: "c")])
        #expect(error == nil && operation.error == nil)
        #expect(server.requests[0]["Accept"] == "text/event-stream")
        var request = URLRequest(url: server.url())
        request.setValue("own", forHTTPHeaderField: "Accept")
        #expect(await HTTPRequestOperation(request: request).events.collected().error == nil)
        #expect(server.requests[1]["Accept"] == "own")
    }

    @Test("Another content type is an error that names it; 204 is the end; a bad status is the operation's error")
    func others() async throws {
        let server = try TestServer()
        server.respond(to: "/html", .ok("<p>", type: "text/html"))
        server.respond(to: "/none", .status(204))
        server.respond(to: "/bad", Self.stream("data: x\n\n", status: 500))
        let html = HTTPRequestOperation.make(server.url("/html"))
        #expect(
            await html.events.collected().error as? ResponseStreamError
                == .notAnEventStream(statusCode: 200, contentType: "text/html"))
        await html.completed()
        let none = await HTTPRequestOperation.make(server.url("/none")).events.reconnecting().collected()
        #expect(none.elements.isEmpty && none.error == nil)
        let bad = await HTTPRequestOperation.make(server.url("/bad")).events.reconnecting(after: 0).collected()
        #expect(bad.elements.isEmpty && bad.error is ResponseSerializationError)
        #expect(server.requests.count == 3)
    }

    @Test("A connection that ends or is lost is made again, with the last identifier", arguments: [false, true])
    func reconnecting(isQueued: Bool) async throws {
        let server = try TestServer()
        server.enqueue(
            Self.stream("retry: 10\nid: 7\ndata: a\n\n"), Self.stream("data: b\n\nid: ü8\ndata: c\n\n"),
            Self.stream("data: d\n\nda").ending(.reset), .status(204))
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBody = Data("query".utf8)
        let operation = HTTPRequestOperation(request: request)
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 1
        if isQueued { queue.addOperation(operation) }
        let (events, error) = await operation.events.reconnecting().collected()
        #expect(error == nil)
        #expect(events.map(\.data) == ["a", "b", "c", "d"])
        #expect(events.map(\.id) == ["7", "7", "ü8", "ü8"])
        #expect(server.requests.map { $0["Last-Event-ID"] } == [nil, "7", "ü8", "ü8"])
        #expect(server.requests.allSatisfy { $0.method == "POST" && $0.text == "query" })
    }

    @Test("The identifier that the first request was given is sent again until another one comes")
    func ownIdentifier() async throws {
        let server = try TestServer()
        server.enqueue(Self.stream("retry: 10\ndata: a\n\n"), .status(204))
        var request = URLRequest(url: server.url())
        request.setValue("41", forHTTPHeaderField: "Last-Event-ID")
        let (events, error) = await HTTPRequestOperation(request: request).events.reconnecting().collected()
        #expect(error == nil && events.map(\.data) == ["a"])
        #expect(server.requests.map { $0["Last-Event-ID"] } == ["41", "41"])
    }

    @Test("Requests in a row that bring nothing end with the last one's error")
    func attempts() async throws {
        let port = try RefusedPort()
        let url = try #require(URL(string: port.urlString))
        let (events, error) = await HTTPRequestOperation.make(url).events
            .reconnecting(after: 0, maximumAttempts: 2).collected()
        #expect(events.isEmpty && (error as? URLError)?.code == .cannotConnectToHost)
    }

    @Test("Cancelling the task between two connections ends the sequence")
    func cancelled() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in Self.stream("data: a\n\n") }
        let operation = HTTPRequestOperation.make(server.url())
        let task = Task { await operation.events.reconnecting(after: 3600).collected() }
        await operation.completed()
        task.cancel()
        let (events, error) = await task.value
        #expect(events.map(\.data) == ["a"])
        #expect(error is CancellationError)
        #expect(server.requests.count == 1)
    }

    @Test("An event beyond the limit is an error")
    func limit() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in Self.stream(String(repeating: "data: 123456789\n", count: 100)) }
        var events = HTTPRequestOperation.make(server.url()).events
        events.maximumEventLength = 1000
        #expect(await events.collected().error as? ResponseStreamError == .eventTooLong(limit: 1000))
    }
}
