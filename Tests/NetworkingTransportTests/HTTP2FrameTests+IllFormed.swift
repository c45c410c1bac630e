// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import NetworkingTransport

extension HTTP2FrameTests {
    private static func malformed(_ name: String, _ fields: [(String, String)]) -> Case {
        Case(name) { [.headers($0, fields), .data($0, "content", ends: true)] }
    }

    private static let bad: [Case] = [
        malformed("no status", [("x", "y")]),
        malformed("two statuses", [(":status", "200"), (":status", "200")]),
        malformed("a status that is no number", [(":status", "2xx")]),
        malformed("a status behind a field", [("x", "y"), (":status", "200")]),
        malformed("a pseudo-field of requests", [(":status", "200"), (":path", "/")]),
        malformed("a name in capitals", [(":status", "200"), ("X-Up", "y")]),
        malformed("a name with a blank", [(":status", "200"), ("a b", "y")]),
        malformed("Connection", [(":status", "200"), ("connection", "close")]),
        malformed("Transfer-Encoding", [(":status", "200"), ("transfer-encoding", "chunked")]),
        malformed("a value with a line end", [(":status", "200"), ("x", "a\r\nset-cookie: b=c")]),
        malformed("a value with a zero", [(":status", "200"), ("x", "a\u{0}b")]),
        malformed("101", [(":status", "101")]),
        malformed("a length that is too long", [(":status", "200"), ("content-length", "8")]),
        malformed("a length that is too short", [(":status", "200"), ("content-length", "6")]),
        malformed("a length that is none", [(":status", "200"), ("content-length", "x")]),
        malformed("two lengths", [(":status", "200"), ("content-length", "7"), ("content-length", "6")]),
        Case("content before a head") { [.data($0, "content", ends: true)] },
        Case("content for the connection") { _ in [.data(0, "content")] },
        Case("a head for the connection") { _ in [.ok(0)] },
        Case("a head on the server's side") { [.ok($0 + 1), .ok($0)] },
        Case("a promise that nobody wants") {
            [
                Frame(
                    .pushPromise, Frame.endHeaders, stream: $0, Frame.big(UInt32(2)) + Frame.block([(":method", "GET")])
                )
            ]
        },
        Case("a continuation of nothing") { [Frame(.continuation, Frame.endHeaders, stream: $0)] },
        Case("something else within a head") {
            [Frame(.headers, stream: $0, Frame.block([(":status", "200")])), .ping(), .data($0, "content", ends: true)]
        },
        Case("settings of five bytes") { _ in [Frame(.settings, 0, stream: 0, [0, 1, 0, 0, 0])] },
        Case("settings of a stream") { [Frame(.settings, 0, stream: $0)] },
        Case("a window of more than 2^31") { _ in [.settings((.initialWindowSize, 1 << 31))] },
        Case("a frame size of one") { _ in [.settings((.maximumFrameSize, 1))] },
        Case("a question of seven bytes") { _ in [Frame(.ping, 0, stream: 0, [0, 0, 0, 0, 0, 0, 0])] },
        Case("a window that grows by nothing") { _ in [.window(0, 0)] },
        Case("a window that overflows") { _ in [.window(0, 0x7FFF_FFFF), .window(0, 0x7FFF_FFFF)] },
        Case("a reset of no stream") { _ in [.reset(0, .cancel)] },
        Case("a head that does not decode") {
            [Frame(.headers, Frame.endHeaders | Frame.end, stream: $0, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])]
        },
        Case("a head without an end") { connection, stream in
            connection.put(Frame(.headers, stream: stream, Frame.block([(":status", "200")])))
            let more = Frame(
                .continuation, stream: stream, Frame.block([("x", String(repeating: "x", count: 10_000))]))
            for _ in 0..<10_000 { guard connection.put(more) else { return } }
        },
        Case("more than the client's window") { connection, stream in
            connection.put(.ok(stream))
            let more = Frame(.data, stream: stream, [UInt8](repeating: 65, count: 16_384))
            // Of a client that takes nothing this would be more than all windows that it can have announced.
            for _ in 0..<3 { guard connection.put(more) else { return } }
            connection.put(.reset(stream, .flowControl))
        },
        Case("the end within a head") { connection, stream in
            connection.put(Frame(.headers, stream: stream, Frame.block([(":status", "200")])))
            connection.shutDown()
        },
        Case("the end before a head") { connection, _ in connection.shutDown() },
        Case("the end within the content, of which nobody said the length") { connection, stream in
            connection.put(.ok(stream), .data(stream, "con"))
            connection.shutDown()
        },
        Case("the end within a frame") { connection, stream in
            connection.write(Frame.ok(stream).bytes + Frame.data(stream, "content", ends: true).bytes.dropLast())
            connection.shutDown()
        },
        Case("a farewell that does not count the stream, within the content") { connection, stream in
            connection.put(.ok(stream), .data(stream, "con"), .goAway(last: 0, .internalError))
            connection.shutDown()
        },
        Case("a farewell for too many requests") { connection, _ in
            connection.put(.goAway(last: 0, .enhanceYourCalm))
            connection.shutDown()
        },
        Case("another protocol") { connection, _ in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        },
    ]

    @Test("What is ill formed is an error, in time, and once", arguments: bad)
    func illFormed(_ play: Case) async {
        for method in ["GET", "POST"] {
            let record = await Self.run(play, method: method, content: method == "POST" ? Data("x".utf8) : nil)
            let kind = record.error?.kind
            #expect(record.outcomes.count == 1)
            #expect(
                kind == .badResponse || kind == .connectionLost || kind == .tooLarge,
                "\(method): \(String(describing: record.error)), \(record.text)")
        }
    }

    @Test(
        "A stream that is reset ends with an error within the content, whatever the code",
        arguments: Frame.Failure.allCases)
    func resets(_ failure: HTTP2Frame.Failure) async {
        for play in [
            Case("before") { [.reset($0, failure)] },
            Case("within") { [.ok($0, [("content-length", "7")]), .data($0, "con"), .reset($0, failure)] },
            Case("within, without a length") { [.ok($0), .data($0, "con"), .reset($0, failure)] },
        ] {
            for method in ["GET", "POST"] {
                let record = await Self.run(play, method: method, content: method == "POST" ? Data("x".utf8) : nil)
                let kind = record.error?.kind
                #expect(
                    kind == .badResponse || kind == .connectionLost,
                    "\(play.testDescription), \(method): \(String(describing: record.error)), \(record.text)")
                #expect(record.outcomes.count == 1)
            }
        }
    }

    private static let breaches: [Case] = [
        Case("a question of seven bytes") { _ in [Frame(.ping, 0, stream: 0, [0, 0, 0, 0, 0, 0, 0])] },
        Case("more padding than there is") { [Frame(.data, Frame.padded, stream: $0, [8, 0, 0, 0])] },
        Case("a frame over the limit") { [Frame(.data, stream: $0, [UInt8](repeating: 65, count: 16_385))] },
        Case("content for nobody") { [.data($0 + 100, "content")] },
        Case("a window that overflows") { _ in [.window(0, 0x7FFF_FFFF)] },
    ]

    @Test(
        "Content of which nobody said the length does not count as whole where the connection is given up within it",
        arguments: breaches, [true, false])
    func cutShort(_ breach: Case, atOnce: Bool) async {
        let record = await Self.run(
            Case(breach.testDescription) { connection, stream in
                connection.put(.ok(stream), .data(stream, "con"))
                // Later the head and the content have been seen before.
                if !atOnce {
                    connection.put(.ping(1))
                    guard connection.nextFrame(.ping, isAcknowledgement: true) != nil else { return }
                }
                breach.script(connection, stream)
            }, idleTimeout: atOnce ? 1 : 5)
        #expect(record.error != nil && record.outcomes.count == 1)
        // What comes at once with the head hides it from libcurl at times, or all of it until the time is over.
        let kind = record.error?.kind
        #expect(record.status == nil ? atOnce : kind == .connectionLost || atOnce && kind == .timedOut)
    }

    @Test("A response that is whole stays so when the server says goodbye, or hangs up on another, at once")
    func wholeAtTheEnd() async {
        let goodbye = await Self.run(
            Case("") { connection, stream in
                connection.put(.ok(stream), .goAway(last: stream, .none), .data(stream, "content", ends: true))
                connection.shutDown()
            })
        #expect(goodbye.error == nil && goodbye.text == "content", "\(String(describing: goodbye.error))")
        await withEngine(server: { connection in
            guard connection.beginHTTP2(), let first = connection.nextRequestStream(),
                let second = connection.nextRequestStream()
            else { return }
            connection.put(
                .ok(first), .ok(second), .data(first, "con"), .data(second, "con"), .data(first, "tent", ends: true))
            connection.shutDown()
        }) { engine, server in
            let handlers = (0..<2).map { _ in RecordingHandler() }
            for handler in handlers { engine.start(Transfer(request: Self.request(server), handler: handler)) }
            var records: [RecordingHandler.Record] = []
            for handler in handlers { records.append(await handler.finished()) }
            #expect(records.filter { $0.error == nil && $0.text == "content" }.count == 1)
            #expect(records.filter { $0.error?.kind == .connectionLost && $0.text == "con" }.count == 1)
        }
    }

    @Test("What ends one stream leaves the others of the connection alone")
    func others() async {
        await withEngine(server: { connection in
            guard connection.beginHTTP2() else { return }
            var first: UInt32?
            while let stream = connection.nextRequestStream() {
                guard let broken = first else {
                    first = stream
                    connection.put(.ok(stream), .data(stream, "con"))
                    continue
                }
                connection.put(
                    .reset(broken, .internalError), .window(broken, 1), .ok(stream),
                    .data(stream, "content", ends: true))
                first = nil
            }
        }) { engine, server in
            let lost = RecordingHandler()
            engine.start(Transfer(request: Self.request(server), handler: lost))
            try? await eventually { !lost.record.content.isEmpty || !lost.record.outcomes.isEmpty }
            #expect(await engine.run(Self.request(server)).text == "content")
            #expect(await lost.finished().error?.kind == .badResponse)
            #expect(server.connectionCount == 1)
        }
    }
}
