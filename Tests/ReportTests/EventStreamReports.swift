// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// Server-sent events, as public reports about other clients have them.
@Suite("Reports: server-sent events", .timeLimit(.minutes(2))) struct EventStreamReports {
    /// A stream in pieces, and the events that it has (WHATWG HTML, "Interpreting an event stream").
    struct EventStream: Sendable, CustomTestStringConvertible {
        let reference: String
        let what: String
        var type = "text/event-stream"
        /// As Latin-1 text. Each is sent for itself.
        let pieces: [String]
        let events: [ServerSentEvent]

        var testDescription: String { "\(reference): \(what)" }

        /// The pieces as chunks, with a pause after each.
        var response: ScriptedResponse {
            let chunks = pieces.map { Data($0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }
            return ScriptedResponse(headers: [("Content-Type", type)], body: .chunked(chunks))
                .waiting(0.02, at: .betweenPieces)
        }
    }

    static let lines: [EventStream] = [
        EventStream(
            reference: "vercel/ai#6200", what: "CRLF between the fields of an event",
            pieces: ["data: /message?sessionId=123\r\nevent: endpoint\r\n\r\n"],
            events: [ServerSentEvent(event: "endpoint", data: "/message?sessionId=123")]),
        EventStream(
            reference: "bernstein#3634", what: "an event that ends with CRLF and LF, and one with LF and CRLF",
            pieces: ["event: a\ndata: 1\r\n\nevent: b\ndata: 2\n\r\nevent: c\ndata: 3\r\n\r\n"],
            events: [
                ServerSentEvent(event: "a", data: "1"), ServerSentEvent(event: "b", data: "2"),
                ServerSentEvent(event: "c", data: "3"),
            ]),
        EventStream(
            reference: "python-utcp#104", what: "the last empty line ends with CR, and the response with it",
            pieces: ["data: x\n\r"], events: [ServerSentEvent(data: "x")]),
        EventStream(
            reference: "flue#216", what: "CR ends a line, and a CRLF in two pieces one line",
            pieces: ["data: a\r\rdata: b\r", "\ndata: c\r\n", "\r", "\n"],
            events: [ServerSentEvent(data: "a"), ServerSentEvent(data: "b\nc")]),
        EventStream(
            reference: "sseclient#9, httpx-sse#34", what: "other line ends of Unicode's, and VT, FF, FS, end no line",
            pieces: ["data: a\u{E2}\u{80}\u{A8}b\u{E2}\u{80}\u{A9}c\u{C2}\u{85}d\u{B}e\u{C}f\u{1C}g\n\n"],
            events: [ServerSentEvent(data: "a\u{2028}b\u{2029}c\u{85}d\u{B}e\u{C}f\u{1C}g")]),
        EventStream(
            reference: "aisix#111", what: "characters of three and four bytes that are cut by the pieces",
            pieces: ["data: \u{E4}\u{BD}", "\u{A0}\u{E5}", "\u{A5}\u{BD}\u{F0}\u{9F}", "\u{98}\u{80}\n\n"],
            events: [ServerSentEvent(data: "你好😀")]),
        EventStream(
            reference: "graniet/llm#90", what: "an event that is cut before its empty line, and within a name",
            pieces: ["da", "ta: {\"a\"", ":1}\n", "\nda", "ta: 2\n\n"],
            events: [ServerSentEvent(data: "{\"a\":1}"), ServerSentEvent(data: "2")]),
    ]

    static let fields: [EventStream] = [
        EventStream(
            reference: "praxis#739", what: "no blank behind the colon; of two blanks one counts",
            pieces: ["data:value\n\ndata:  two\n\n"],
            events: [ServerSentEvent(data: "value"), ServerSentEvent(data: " two")]),
        EventStream(
            reference: "EventSource/eventsource#35", what: "an empty line of text is a data field without a value",
            pieces: ["data: I am\ndata: a text.\ndata: \ndata: Hello World!\n\n"],
            events: [ServerSentEvent(data: "I am\na text.\n\nHello World!")]),
        EventStream(
            reference: "fetch-event-stream#6", what: "fields without a colon; the last block does not end",
            pieces: ["data\n\ndata\ndata\n\ndata:"], events: [ServerSentEvent(data: ""), ServerSentEvent(data: "\n")]),
        EventStream(
            reference: "dive#206", what: "comments before the first token, with an empty line each",
            pieces: [": OPENROUTER PROCESSING\n\n", ": OPENROUTER PROCESSING\n\n", "data: {}\n\ndata: [DONE]\n\n"],
            events: [ServerSentEvent(data: "{}"), ServerSentEvent(data: "[DONE]")]),
        EventStream(
            reference: "mistral-vibe#774", what: "a colon alone is a comment, also within an event",
            pieces: [":\n\n:\ndata: a\n:\n:b\ndata: c\n\n"], events: [ServerSentEvent(data: "a\nc")]),
        EventStream(
            reference: "llmgateway#2334", what: "a comment with an empty line is no event, though an ID is known",
            pieces: ["id: 1\ndata: a\n\n", ": ping\n\n", "data: b\n\n"],
            events: [ServerSentEvent(id: "1", data: "a"), ServerSentEvent(id: "1", data: "b")]),
        EventStream(
            reference: "openai-python#2722", what: "blocks without data are no events, and leave their ID",
            pieces: ["retry: 3000\n\nevent: x\n\nid: 7\n\n", "data: {}\n\n"],
            events: [ServerSentEvent(id: "7", data: "{}")]),
        EventStream(
            reference: "omnigent#1474", what: "a data field without a value is an event without text",
            pieces: ["data: {}\n\n", "data:\n\n"], events: [ServerSentEvent(data: "{}"), ServerSentEvent(data: "")]),
        EventStream(
            reference: "EventSource/eventsource#358", what: "an event without an ID has that of the one before",
            pieces: ["id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n"],
            events: [
                ServerSentEvent(id: "1", data: "a"), ServerSentEvent(id: "1", data: "b"), ServerSentEvent(data: "c"),
            ]),
        EventStream(
            reference: "openclaude#1174", what: "an error within the stream is an event like others",
            pieces: ["data: {}\n\n", "event: error\ndata: {\"error\":{}}\n\n", "data: {\"error\":{}}\n\n"],
            events: [
                ServerSentEvent(data: "{}"), ServerSentEvent(event: "error", data: "{\"error\":{}}"),
                ServerSentEvent(data: "{\"error\":{}}"),
            ]),
        // "Once the end of the file is reached, any pending data must be discarded."
        EventStream(
            reference: "openai-node#2725", what: "the last event without its empty line is none",
            pieces: ["data: a\n\n", "event: response.completed\ndata: {}\n"], events: [ServerSentEvent(data: "a")]),
        EventStream(
            reference: "eventsource-parser#18", what: "nor is one without the end of its line",
            pieces: ["data: a\n\nevent: done\ndata: 123"], events: [ServerSentEvent(data: "a")]),
        EventStream(
            reference: "fetch-event-source#1", what: "a type with a charset in capitals",
            type: "text/event-stream;charset=UTF-8", pieces: ["data: a\n\n"], events: [ServerSentEvent(data: "a")]),
        EventStream(
            reference: "whatwg/html#7630", what: "a type in capitals", type: "text/EVENT-stream ; x=y",
            pieces: ["data: a\n\n"], events: [ServerSentEvent(data: "a")]),
    ]

    /// Of a stream in chunks.
    private static let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func read(_ events: ServerSentEvents) async -> (events: [ServerSentEvent], error: (any Error)?) {
        var read: [ServerSentEvent] = []
        do {
            for try await event in events { read.append(event) }
            return (read, nil)
        } catch {
            return (read, error)
        }
    }

    private static func operation(_ url: URL, timeout: TimeInterval = 10) -> HTTPRequestOperation {
        var request = URLRequest(url: url)
        // As chat services are asked.
        request.httpMethod = "POST"
        request.httpBody = Data("{\"stream\":true}".utf8)
        request.timeoutInterval = timeout * Patience.factor
        return HTTPRequestOperation(request: request)
    }

    @Test("Streams", arguments: lines + fields)
    func stream(_ stream: EventStream) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in stream.response }
        let (events, error) = await Self.read(Self.operation(server.url()).events)
        #expect(events == stream.events && error == nil, Comment(rawValue: stream.testDescription))
    }

    @Test("Another type is an error that names it (mercure#143, tinyagents#56, whatwg/html#7630)")
    func otherTypes() async throws {
        let server = try TestServer()
        server.respond(to: "/json", .json("{\"error\":{}}"))
        server.respond(to: "/none", ScriptedResponse(body: .text("data: a\n\n")))
        let types: [(path: String, type: String?)] = [("/json", "application/json"), ("/none", nil)]
        for (path, type) in types {
            let (events, error) = await Self.read(Self.operation(server.url(path)).events)
            #expect(events.isEmpty)
            #expect(error as? ResponseStreamError == .notAnEventStream(statusCode: 200, contentType: type))
        }
    }

    @Test("Events that came before the connection was lost are read, and then the error (openai-python#2065)")
    func lost() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            .script([
                .send(Self.head + "9\r\ndata: a\n\n\r\n9\r\ndata: b\n\n\r\n9\r\nda"),
                .wait(seconds: 0.1), .close,
            ])
        }
        let (events, error) = await Self.read(Self.operation(server.url()).events)
        #expect(events.map(\.data) == ["a", "b"])
        #expect((error as? URLError)?.code == .networkConnectionLost, "\(String(describing: error))")
    }

    // As Apple's documentation of `timeoutInterval` has it, it begins anew whenever something comes.
    @Test("Comments that come all the time keep the time-out away (akka-http#1279, mastra#22416)")
    func heartbeats() async throws {
        let server = try TestServer()
        let pause = ScriptStep.wait(seconds: 0.4 * Patience.factor)
        var steps: [ScriptStep] = [.send(Self.head)]
        for _ in 0..<5 { steps += [pause, .send("3\r\n:\n\n\r\n")] }
        steps.append(.send("9\r\ndata: a\n\n\r\n0\r\n\r\n"))
        let response = ScriptedResponse.script(steps)
        server.respondToOthers { _ in response }
        let (events, error) = await Self.read(Self.operation(server.url(), timeout: 1).events)
        #expect(events.map(\.data) == ["a"] && error == nil, "\(String(describing: error))")
    }

    @Test("A stream that falls silent ends by the time-out (typescript-sdk#1963)")
    func silence() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .script([.send(Self.head + "9\r\ndata: a\n\n\r\n"), .stall]) }
        let (events, error) = await Self.read(Self.operation(server.url(), timeout: 0.5).events)
        #expect(events.map(\.data) == ["a"])
        #expect((error as? URLError)?.code == .timedOut, "\(String(describing: error))")
    }

    @Test("An event of a coded stream is there when the coding is flushed (sseclient#27, okhttp-eventsource#65)")
    func coded() async throws {
        // gzip: "data: a" with an empty line, flushed; the same of "b", and the end.
        let first: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 74, 73, 44, 73, 180, 82, 72, 228, 226, 2, 0, 0, 0, 255, 255,
        ]
        let second: [UInt8] = [75, 1, 51, 146, 184, 184, 0, 186, 89, 199, 223, 18, 0, 0, 0]
        let gate = Gate()
        let server = try TestServer()
        server.respondToOthers { _ in
            ScriptedResponse(
                headers: [("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip")],
                body: .chunked([Data(first), Data(second)])
            ).holding(gate, at: .betweenPieces)
        }
        var events = Self.operation(server.url()).events.makeAsyncIterator()
        #expect(try await events.next()?.data == "a")
        gate.open()
        #expect(try await events.next()?.data == "b")
        #expect(try await events.next() == nil)
    }

    @Test("Who has read the last event that he wants ends the connection (decolua/9router#3492)")
    func leaving() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .script([.send(Self.head + "E\r\ndata: [DONE]\n\n\r\n"), .stall]) }
        for try await event in Self.operation(server.url()).events where event.data == "[DONE]" { break }
        try await eventually("the connection ends") { server.openConnectionCount == 0 }
    }

    // MARK: Again

    private static func answer(_ text: String) -> ScriptedResponse {
        ScriptedResponse(headers: [("Content-Type", "text/event-stream")], body: .chunks([text]))
    }

    @Test("The latest ID is sent, not the one that the first request had (EventSource/eventsource#27)")
    func latestID() async throws {
        let server = try TestServer()
        server.enqueue(
            Self.answer("retry: 10\nid: 2\ndata: a\n\n"), Self.answer("id: 3\ndata: b\n\n"),
            Self.answer("data: c\n\n"), .status(204))
        var request = URLRequest(url: server.url())
        request.setValue("1", forHTTPHeaderField: "Last-Event-ID")
        let (events, error) = await Self.read(HTTPRequestOperation(request: request).events.reconnecting())
        #expect(error == nil && events.map(\.id) == ["2", "3", "3"])
        #expect(server.requests.map { $0["Last-Event-ID"] } == ["1", "2", "3", "3"])
    }

    @Test("An empty ID is none, and is not sent (rust-eventsource-client#28, typescript-sdk#2771)")
    func emptyID() async throws {
        let server = try TestServer()
        // The last one has an empty ID only: it counts without an event, too.
        server.enqueue(
            Self.answer("retry: 10\nid: 1\ndata: a\n\n"), Self.answer("id:\ndata: b\n\n"),
            Self.answer("id: 2\ndata: c\n\nid\n\n"), .status(204))
        let (events, error) = await Self.read(Self.operation(server.url()).events.reconnecting())
        #expect(error == nil && events.map(\.id) == ["1", "", "2"])
        #expect(server.requests.map { $0["Last-Event-ID"] } == [nil, "1", nil, nil])
    }
}
