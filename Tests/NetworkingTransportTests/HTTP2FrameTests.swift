// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import NetworkingTransport

/// What a server may send on a connection (RFC 9113), and what it must not.
@Suite("HTTP/2, frame by frame", .timeLimit(.minutes(2)), .serialized)
struct HTTP2FrameTests {
    typealias Frame = HTTP2Frame

    /// What a server does once a request has come on a stream.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: @Sendable (ScriptedConnection, UInt32) -> Void

        init(_ name: String, _ script: @escaping @Sendable (ScriptedConnection, UInt32) -> Void) {
            testDescription = name
            self.script = script
        }

        /// Frames one after the other.
        init(_ name: String, frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]) {
            self.init(name) { connection, stream in connection.write(frames(stream).flatMap(\.bytes)) }
        }
    }

    static func request(_ server: ScriptedServer, method: String = "GET") -> TransferRequest {
        var request = TransferRequest(server.url, method: method)
        var route = ConnectionRoute()
        route.httpVersion = .http2PriorKnowledge
        request.origin = route.countedOrigin(request.origin)
        request.route = route
        request.idleTimeout = 5
        return request
    }

    static func run(
        _ play: Case, settings: HTTP2Frame = .settings(), method: String = "GET", content: Data? = nil,
        idleTimeout: TimeInterval = 5
    ) async -> RecordingHandler.Record {
        await withEngine(server: { connection in
            guard connection.beginHTTP2(settings), let stream = connection.nextRequestStream() else { return }
            play.script(connection, stream)
            connection.waitForClient()
        }) { engine, server in
            var request = request(server, method: method)
            request.idleTimeout = idleTimeout
            if let content { request.body = .data(content) }
            return await engine.run(request)
        }
    }

    @Test(
        "A stream that is broken off to be asked over HTTP/1.1 is no beginning of the next response",
        arguments: ["GET", "POST"])
    func brokenOffForHTTP1(method: String) async {
        await withEngine(server: { connection in
            guard connection.number == 1 else {
                _ = connection.readRequest()
                connection.respond("helloworld")
                return
            }
            guard connection.beginHTTP2(.settings()), let stream = connection.nextRequestStream() else { return }
            let head: Frame = .ok(stream, [("content-length", "10")])
            connection.put(head, .data(stream, "hello"), .ping(1))
            guard connection.nextFrame(.ping, isAcknowledgement: true) != nil else { return }
            connection.put(.reset(stream, .http11Required))
            connection.waitForClient()
        }) { engine, server in
            var request = Self.request(server, method: method)
            if method == "POST" { request.body = .data(Data("x".utf8)) }
            let record = await engine.run(request)
            #expect(record.error?.kind == .connectionLost && record.heads.count == 1 && record.text == "hello")
            #expect(server.connectionCount <= 2)
        }
    }

    private static let good: [Case] = [
        Case("padding and a priority, which say nothing") {
            let block = Frame.block([(":status", "200")])
            return [
                Frame(
                    .headers, Frame.endHeaders | Frame.padded | Frame.withPriority, stream: $0,
                    [3] + Frame.big(UInt32(0x8000_0000)) + [200] + block + [0, 0, 0]),
                Frame(.data, Frame.padded, stream: $0, [2] + Array("con".utf8) + [0, 0]),
                Frame(.data, Frame.padded, stream: $0, [5, 0, 0, 0, 0, 0]),
                Frame(.data, Frame.padded | Frame.end, stream: $0, [0] + Array("tent".utf8)),
            ]
        },
        Case("a head in several frames") {
            let block = Frame.block([(":status", "200"), ("x-long", String(repeating: "x", count: 300))])
            return [Frame(.headers, stream: $0, Array(block.prefix(1)))]
                + [
                    Frame(.continuation, stream: $0, Array(block.dropFirst().prefix(100))),
                    Frame(.continuation, Frame.endHeaders, stream: $0, Array(block.dropFirst(101))),
                    .data($0, "content", ends: true),
                ]
        },
        Case("frames, flags and settings that nobody knows") {
            var unknown = Frame(.data, 0xFF, stream: $0, [1, 2, 3])
            unknown.kind = 0xEE
            var settings = Frame.settings()
            settings.payload = Frame.big(UInt16(0x99)) + Frame.big(UInt32.max)
            var head = Frame.ok($0)
            head.flags |= 0x42
            return [unknown, settings, head, unknown, .data($0, "content", ends: true)]
        },
        Case("empty frames between") {
            [.ok($0)] + Array(repeating: .data($0, ""), count: 50) + [.data($0, "content"), .data($0, "", ends: true)]
        },
        // nghttp2 takes a thousand that come at once for a flood.
        Case("hundreds of questions whether we are there") { connection, stream in
            for number in 0..<900 { connection.put(.ping(UInt64(number))) }
            for number in 0..<900 {
                guard connection.nextFrame(.ping, isAcknowledgement: true)?.payload == Frame.big(UInt64(number)) else {
                    return
                }
            }
            connection.put(.ok(stream), .data(stream, "content", ends: true))
        },
        Case("settings that change all the time") { connection, stream in
            for size: UInt32 in [0, 4096, 1, 65_536] {
                connection.put(.settings((.headerTableSize, size), (.initialWindowSize, size)))
                guard connection.nextFrame(.settings, isAcknowledgement: true) != nil else { return }
            }
            connection.put(.ok(stream), .settings((.maximumConcurrentStreams, 0)), .data(stream, "content", ends: true))
        },
        Case("informational responses before") {
            [
                .headers($0, [(":status", "100")]), .headers($0, [(":status", "103"), ("link", "x")]), .ok($0),
                .data($0, "content", ends: true),
            ]
        },
        Case("trailers") {
            [.ok($0), .data($0, "content"), .headers($0, [("checksum", "1")], ends: true)]
        },
        Case("a length that is right") { [.ok($0, [("content-length", "7")]), .data($0, "content", ends: true)] },
        Case("a farewell that counts the stream, before the response") {
            [.goAway(last: $0, .none), .ok($0), .data($0, "content", ends: true)]
        },
        Case("a farewell in two steps, and the rest of the content") {
            [
                .ok($0), .data($0, "con"), .goAway(last: 0x7FFF_FFFF, .none), .data($0, "te"), .goAway(last: $0, .none),
                .data($0, "nt", ends: true),
            ]
        },
        Case("a reset without an error after the response, which ends nothing but the request") {
            [.ok($0), .data($0, "content", ends: true), .reset($0, .none)]
        },
        Case("window updates, for the connection and for a stream that has ended") {
            [
                .window(0, 1000), .window($0, 1000), .ok($0), .data($0, "content", ends: true), .window($0, 1),
                .reset($0, .none),
            ]
        },
        Case("resets and windows of priorities") {
            [
                Frame(.priority, stream: $0, Frame.big(UInt32(0)) + [10]), .ok($0),
                Frame(.priority, stream: 99, Frame.big(UInt32(0)) + [10]), .data($0, "content", ends: true),
            ]
        },
    ]

    @Test("What is well formed is a response", arguments: good)
    func wellFormed(_ play: Case) async {
        let record = await Self.run(play)
        #expect(record.error == nil, "\(String(describing: record.error))")
        #expect(record.status == 200 && record.text == "content" && record.outcomes.count == 1)
    }

    /// Runs a POST on a connection whose settings the client is known to have, because a GET was answered before.
    private static func post(
        _ content: Data, settings: HTTP2Frame = .settings(), idleTimeout: TimeInterval = 20,
        _ script: @escaping @Sendable (ScriptedConnection, UInt32) -> Void
    ) async -> RecordingHandler.Record {
        await withEngine(server: { connection in
            guard connection.beginHTTP2(settings), let first = connection.nextRequestStream() else { return }
            connection.put(.ok(first), .data(first, "first", ends: true))
            guard let stream = connection.nextRequestStream() else { return }
            script(connection, stream)
            connection.waitForClient()
        }) { engine, server in
            let first = await engine.run(request(server))
            guard first.text == "first" else { return first }
            var request = request(server, method: "POST")
            request.body = .data(content)
            request.idleTimeout = idleTimeout
            return await engine.run(request)
        }
    }

    @Test("The content of a request is sent as the server's windows allow, and whole", arguments: [1, 1000, 16_384])
    func sendWindows(size: UInt32) async {
        let content = Data((0..<(size == 1 ? 200 : 50_000)).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let received = Locked<[UInt8]>([])
        let record = await Self.post(content, settings: .settings((.initialWindowSize, size))) { connection, stream in
            var bytes: [UInt8] = []
            while bytes.count < content.count, let frame = connection.readFrame() {
                guard frame.kind == Frame.Kind.data.rawValue else { continue }
                bytes += frame.payload
                if frame.payload.count > Int(size) { return }
                if !frame.payload.isEmpty {
                    let count = UInt32(frame.payload.count)
                    connection.put(.window(stream, count), .window(0, count))
                }
            }
            received.withLock { [bytes] in $0 = bytes }
            connection.put(.ok(stream), .data(stream, "content", ends: true))
        }
        #expect(record.error == nil && record.text == "content" && record.sent == Int64(content.count))
        #expect(received.withLock { Data($0) } == content)
    }

    @Test("A window that shrinks below what was sent stops the upload until it grows again")
    func shrinkingWindow() async {
        let content = Data(repeating: 65, count: 100_000)
        let total = Locked(0)
        let record = await Self.post(content) { connection, stream in
            var count = 0
            while count < 65_535, let frame = connection.readFrame() {
                if frame.kind == Frame.Kind.data.rawValue { count += frame.payload.count }
            }
            connection.put(.settings((.initialWindowSize, 0)))
            guard connection.nextFrame(.settings, isAcknowledgement: true) != nil else { return }
            connection.put(.window(0, 100_000), .ping(1))
            // Nothing may come but the answer.
            guard let answer = connection.readFrame(), answer.kind == Frame.Kind.ping.rawValue else { return }
            connection.put(.window(stream, 65_535 + 100_000))
            while count < content.count, let frame = connection.readFrame() {
                if frame.kind == Frame.Kind.data.rawValue { count += frame.payload.count }
            }
            total.withLock { [count] in $0 = count }
            connection.put(.ok(stream), .data(stream, "content", ends: true))
        }
        #expect(record.error == nil && record.text == "content", "\(String(describing: record.error))")
        #expect(total.withLock { $0 } == 100_000)
    }

    /// RFC 9113, section 8.1: the response counts. Only its length tells libcurl that it is all.
    @Test(
        "A whole response before the end of the request, which the server wants no more of",
        arguments: [(200, true), (200, false), (413, true), (413, false)])
    func earlyResponse(status: Int, resets: Bool) async {
        let record = await Self.post(Data(repeating: 65, count: 1_000_000), idleTimeout: 3) { connection, stream in
            connection.put(
                .headers(stream, [(":status", "\(status)"), ("content-length", "7")]),
                .data(stream, "content", ends: true))
            // A reset that comes in one piece with the response hides it from libcurl (7.88).
            connection.put(.ping(1))
            guard connection.nextFrame(.ping, isAcknowledgement: true) != nil else { return }
            if resets { connection.put(.reset(stream, .none)) }
        }
        #expect(record.error == nil && record.text == "content", "\(String(describing: record.error))")
        #expect(record.status == status)
    }

    /// What libcurl may have taken in while it was sending, and looks at when something else comes.
    @Test(
        "A response that is whole before the request ends with it, or soon", arguments: [true, false], [true, false])
    func responseFirst(hasLength: Bool, readsAll: Bool) async {
        let content = Data(repeating: 65, count: 200_000)
        let record = await withEngine(server: { connection in
            guard connection.beginHTTP2(), let stream = connection.nextRequestStream() else { return }
            connection.put(
                .ok(stream, hasLength ? [("content-length", "7")] : []), .data(stream, "content", ends: true))
            while let frame = connection.readFrame(), readsAll || !hasLength {
                guard frame.kind == Frame.Kind.data.rawValue, !frame.payload.isEmpty else { continue }
                let count = UInt32(frame.payload.count)
                connection.put(.window(stream, count), .window(0, count))
            }
            connection.waitForClient()
        }) { engine, server in
            var request = Self.request(server, method: "PUT")
            request.body = .source(StreamBodySource(stream: InputStream(data: content), contentLength: nil))
            request.idleTimeout = 20
            return await engine.run(request)
        }
        #expect(record.error == nil && record.text == "content", "\(String(describing: record.error))")
        #expect(record.timings.total < 10)
    }

    @Test("What is received is acknowledged: a response of 5 MB comes within the client's windows")
    func receiveWindows() async {
        let size = 5_000_000
        let largest = Locked(0)
        await withEngine(server: { connection in
            guard connection.beginHTTP2() else { return }
            // Of the connection, and of each stream.
            var (whole, each, stream) = (65_535, 65_535, UInt32(0))
            func take(_ frame: HTTP2Frame) {
                let number = frame.payload.suffix(4).reduce(0) { $0 << 8 | Int($1) }
                if frame.kind == Frame.Kind.windowUpdate.rawValue {
                    if frame.stream == 0 { whole += number } else { each += number }
                } else if frame.kind == Frame.Kind.settings.rawValue {
                    for start in stride(from: 0, to: frame.payload.count - 5, by: 6) {
                        let setting = frame.payload[start..<start + 6].map { Int($0) }
                        guard setting[1] == 4 else { continue }
                        each += setting[2] << 24 | setting[3] << 16 | setting[4] << 8 | setting[5]
                        each -= 65_535
                    }
                }
            }
            while stream == 0, let frame = connection.readFrame() {
                if frame.kind == Frame.Kind.headers.rawValue { stream = frame.stream } else { take(frame) }
            }
            largest.withLock { [each, whole] in $0 = min(each, whole) }
            connection.put(.ok(stream, [("content-length", "\(size)")]))
            var sent = 0
            while sent < size {
                let count = min(whole, each, 16_384, size - sent)
                guard count > 0 else {
                    guard let frame = connection.readFrame() else { return }
                    take(frame)
                    continue
                }
                let flags = sent + count == size ? Frame.end : 0
                guard connection.put(Frame(.data, flags, stream: stream, [UInt8](repeating: 66, count: count))) else {
                    return
                }
                (whole, each, sent) = (whole - count, each - count, sent + count)
            }
            connection.waitForClient()
        }) { engine, server in
            let record = await engine.run(Self.request(server))
            #expect(record.error == nil && record.content.count == size && record.content.allSatisfy { $0 == 66 })
        }
        #expect(largest.withLock { $0 } >= 65_535)
    }

    @Test("More requests than the server takes at once are all answered", arguments: [1, 3])
    func concurrentStreams(limit: UInt32) async {
        await withEngine(server: { connection in
            guard connection.beginHTTP2(.settings((.maximumConcurrentStreams, limit))) else { return }
            var open: [UInt32] = []
            while let frame = connection.readFrame() {
                if frame.kind == Frame.Kind.headers.rawValue {
                    open.append(frame.stream)
                    // The answer to this comes behind all requests that are sent without waiting.
                    connection.put(.ping(UInt64(frame.stream)))
                } else if frame.kind == Frame.Kind.ping.rawValue, !open.isEmpty {
                    let stream = open.removeFirst()
                    connection.put(.ok(stream), .data(stream, "content", ends: true))
                }
            }
        }) { engine, server in
            let handlers = (0..<20).map { _ in RecordingHandler() }
            for handler in handlers { engine.start(Transfer(request: Self.request(server), handler: handler)) }
            for handler in handlers { #expect(await handler.finished().text == "content") }
        }
    }
}
