// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

/// Connections in HTTP/2 that the server ends, between requests or below one.
@Suite("HTTP/2, lost connections", .timeLimit(.minutes(1)), .serialized)
struct HTTP2LostTests {
    typealias Frame = HTTP2Frame

    /// Answers everything, except for the `number`th request: with that it does what `script` does. Each is `seen`.
    private static func server(
        except number: Int, _ script: @escaping @Sendable (ScriptedConnection, UInt32) -> Void,
        seen: @escaping @Sendable () -> Void = {}
    ) -> ScriptedServer {
        let count = Locked(0)
        return ScriptedServer { connection in
            guard connection.beginHTTP2() else { return }
            while let stream = connection.nextRequestStream() {
                seen()
                let isIt = count.withLock {
                    $0 += 1
                    return $0 == number
                }
                if isIt { return script(connection, stream) }
                // With room for what is long: the response ends, but not before the request does.
                let room: UInt32 = 1 << 20
                connection.put(
                    .window(0, room), .window(stream, room), .ok(stream), .data(stream, "content", ends: true))
            }
        }
    }

    private static func request(_ server: ScriptedServer, method: String) -> TransferRequest {
        var request = HTTP2FrameTests.request(server, method: method)
        if method == "POST" { request.body = .data(Data("x".utf8)) }
        return request
    }

    @Test("A connection that ends below a request: the request is sent once more where that changes nothing")
    func hangUp() async {
        for method in ["GET", "POST"] {
            let server = Self.server(except: 2) { connection, _ in connection.shutDown() }
            let engine = TransportEngine()
            defer {
                engine.shutdown()
                server.stop()
            }
            #expect(await engine.run(Self.request(server, method: "GET")).text == "content")
            let record = await engine.run(Self.request(server, method: method))
            if method == "GET" {
                #expect(record.error == nil && record.text == "content", "\(String(describing: record.error))")
            } else {
                #expect(record.error?.kind == .connectionLost)
            }
            #expect(server.connectionCount == (method == "GET" ? 2 : 1))
        }
    }

    // MARK: What was not looked at

    /// How a server answers a POST.
    enum Reply: CaseIterable, Sendable {
        /// It says that it has not looked at it.
        case refused, goodbye, goodbyeForError
        /// It does not.
        case goodbyeAfterwards, cancelled, ended

        var isRefusal: Bool { self == .refused || self == .goodbye || self == .goodbyeForError }

        func send(on connection: ScriptedConnection, _ stream: UInt32) {
            switch self {
            case .refused: connection.put(.reset(stream, .refusedStream))
            case .goodbye: connection.put(.goAway(last: stream > 1 ? stream - 2 : 0, .none))
            case .goodbyeForError: connection.put(.goAway(last: stream > 1 ? stream - 2 : 0, .internalError))
            case .goodbyeAfterwards: connection.put(.goAway(last: stream, .none))
            case .cancelled: connection.put(.reset(stream, .cancel))
            case .ended: break
            }
            if isRefusal || self == .cancelled { connection.waitForClient() } else { connection.shutDown() }
        }
    }

    @Test(
        "A POST is sent once more where the server says that it has not looked at it, and nowhere else",
        arguments: Reply.allCases, [1, 2])
    func refusal(reply: Reply, number: Int) async {
        let posts = Locked(0)
        let long = String(repeating: "x", count: 200_000)
        for (content, isStream) in [("x", false), (long, false), ("x", true), (long, true)] {
            let server = Self.server(except: number) { connection, stream in
                reply.send(on: connection, stream)
            } seen: {
                posts.withLock { $0 += 1 }
            }
            let engine = TransportEngine()
            defer {
                engine.shutdown()
                server.stop()
            }
            // The connection may be one that was there before.
            if number == 2 { #expect(await engine.run(Self.request(server, method: "GET")).text == "content") }
            posts.withLock { $0 = 0 }
            var request = Self.request(server, method: "POST")
            let data = Data(content.utf8)
            request.body =
                isStream ? .source(StreamBodySource(stream: InputStream(data: data), contentLength: nil)) : .data(data)
            let record = await engine.run(request)
            if reply.isRefusal {
                #expect(record.text == "content", "\(String(describing: record.error))")
            } else {
                #expect(record.error != nil)
            }
            #expect(posts.withLock { $0 } == (reply.isRefusal ? 2 : 1))
        }
    }

    @Test("A POST that is refused again and again is given up, and one whose content cannot be sent again at once")
    func repeatedRefusal() async {
        for canRewind in [true, false] {
            let posts = Locked(0)
            let server = ScriptedServer { connection in
                guard connection.beginHTTP2() else { return }
                while let stream = connection.nextRequestStream() {
                    posts.withLock { $0 += 1 }
                    _ = connection.nextFrame(.data)
                    connection.put(.reset(stream, .refusedStream))
                }
            }
            let engine = TransportEngine()
            defer {
                engine.shutdown()
                server.stop()
            }
            let source = ManualBodySource(length: 4, canRewind: canRewind)
            source.supply("text")
            source.end()
            var request = HTTP2FrameTests.request(server, method: "POST")
            request.body = .source(source)
            let record = await engine.run(request)
            #expect(record.error?.kind == .connectionLost, "\(String(describing: record.error))")
            #expect(record.error?.message.contains("refused the request") == true)
            #expect(posts.withLock { $0 } == (canRewind ? 17 : 1))
        }
    }

    @Test(
        "What was not looked at, or lost, ends with the failure to reach the server again",
        arguments: ["GET", "POST"], [Reply.goodbye, .refused, .ended])
    func nobodyListens(method: String, reply: Reply) async {
        let listener = Locked<ScriptedServer?>(nil)
        let server = Self.server(except: 2) { connection, stream in
            listener.withLock { $0 }?.stopListening()
            reply.send(on: connection, stream)
        }
        listener.withLock { $0 = server }
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            server.stop()
        }
        #expect(await engine.run(Self.request(server, method: "GET")).text == "content")
        let record = await engine.run(Self.request(server, method: method))
        let expected = method == "POST" && reply == .ended ? TransferError.Kind.connectionLost : .cannotConnect
        #expect(record.error?.kind == expected, "\(String(describing: record.error))")
        #expect(server.connectionCount == 1)
    }

    @Test("Of several POSTs on a connection those are sent once more that the server's goodbye leaves out")
    func sharedRefusal() async {
        let streams = Locked<[Int: [UInt32]]>([:])
        let count = 20
        let server = ScriptedServer { connection in
            guard connection.beginHTTP2() else { return }
            let number = connection.number
            while let stream = connection.nextRequestStream() {
                let seen = streams.withLock { streams in
                    streams[number, default: []].append(stream)
                    return streams[number, default: []]
                }
                guard number == 1, seen.count > 1 else {
                    connection.put(.ok(stream), .data(stream, "\(number)", ends: true))
                    continue
                }
                // The first one was to make the connection known.
                guard seen.count == count + 1 else { continue }
                connection.put(.goAway(last: seen[10], .none))
                for stream in seen[1...10] { connection.put(.ok(stream), .data(stream, "1", ends: true)) }
            }
        }
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            server.stop()
        }
        #expect(await engine.run(Self.request(server, method: "GET")).text == "1")
        let handlers = (0..<count).map { _ in RecordingHandler() }
        for handler in handlers {
            engine.start(Transfer(request: Self.request(server, method: "POST"), handler: handler))
        }
        var texts: [String] = []
        for handler in handlers {
            let record = await handler.finished()
            #expect(record.error == nil)
            texts.append(record.text)
        }
        #expect(texts.filter { $0 == "1" }.count == 10)
        let sent = streams.withLock { $0 }
        #expect(sent[1]?.count == count + 1)
        #expect(sent.values.reduce(0) { $0 + $1.count } == 1 + count + 10)
    }

    @Test("A connection that ends while nobody is on it is not used again", arguments: ["GET", "POST"])
    func idleEnd(method: String) async throws {
        let (answered, ended, hasEnded) = (Latch(), Latch(), Locked(false))
        let server = ScriptedServer { connection in
            guard connection.beginHTTP2(), let stream = connection.nextRequestStream() else { return }
            connection.put(.ok(stream), .data(stream, "content", ends: true))
            if hasEnded.withLock({ !$0 }) {
                answered.wait()
                connection.put(.ping(1))
                connection.shutDown()
                hasEnded.withLock { $0 = true }
                ended.open()
            }
            connection.waitForClient()
        }
        let engine = TransportEngine()
        defer {
            answered.open()
            engine.shutdown()
            server.stop()
        }
        #expect(await engine.run(Self.request(server, method: "GET")).text == "content")
        answered.open()
        ended.wait()
        while await !engine.watchedConnections().isEmpty { await Task.yield() }
        let record = await engine.run(Self.request(server, method: method))
        #expect(record.error == nil && record.text == "content", "\(String(describing: record.error))")
        #expect(!record.timings.reusedConnection)
    }
}
