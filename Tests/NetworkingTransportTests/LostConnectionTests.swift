// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

/// Connections that stopped working, or that say what nobody asked for.
@Suite("Lost connections", .timeLimit(.minutes(1)), .serialized)
struct LostConnectionTests {
    @Test(
        "When the way to a host has died, one request times out and all that follow succeed", arguments: [false, true])
    func blackHole(http2: Bool) async throws {
        let front = try FrontServer(http2: http2)
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            front.stop()
        }
        // Several connections where requests do not share one.
        let handlers = (0..<4).map { _ in RecordingHandler() }
        for handler in handlers { engine.start(Transfer(request: front.request(), handler: handler)) }
        for handler in handlers { #expect(await handler.finished().text == "content") }
        let before = front.relay.connectionCount
        for number in 1...before { front.relay.swallow(number) }
        let lost = await engine.run(front.request(idleTimeout: 0.4))
        #expect(lost.error?.kind == .timedOut)
        #expect(lost.timings.reusedConnection)
        for _ in 0..<5 {
            let record = await engine.run(front.request(idleTimeout: 0.4))
            #expect(record.text == "content", "\(String(describing: record.error))")
        }
        #expect(front.relay.connectionCount == before + 1)
        for number in 1...before { try await eventually("closed") { front.relay.hasEnded(number) } }
    }

    @Test("A stream that times out takes none of its connection's others with it, but nothing new joins them")
    func sharedConnection() async throws {
        let gate = Latch()
        let slowArrived = Latch()
        let backend = ScriptedServer { connection in
            guard let request = connection.readRequest() else { return }
            if request.head.contains("slow") {
                slowArrived.open()
                gate.wait()
                connection.respond("slow")
            } else {
                connection.waitForEnd()
            }
        }
        let front = try FrontServer(http2: true, backend: backend)
        let engine = TransportEngine()
        defer {
            gate.open()
            engine.shutdown()
            front.stop()
            backend.stop()
        }
        let first = await engine.run(front.request())
        #expect(first.timings.httpVersion == "2")
        let slow = RecordingHandler()
        engine.start(Transfer(request: front.request("/script/slow"), handler: slow))
        slowArrived.wait()
        let hanging = (0..<3).map { _ in RecordingHandler() }
        for handler in hanging {
            engine.start(Transfer(request: front.request("/script/hang", idleTimeout: 0.3), handler: handler))
        }
        for handler in hanging { #expect(await handler.finished().error?.kind == .timedOut) }
        #expect(front.relay.connectionCount == 1)
        for _ in 0..<3 { #expect(await engine.run(front.request()).text == "content") }
        #expect(front.relay.connectionCount == 2)
        #expect(!front.relay.hasEnded(1))
        gate.open()
        #expect(await slow.finished().text == "slow")
        try await eventually("closed") { front.relay.hasEnded(1) }
    }

    @Test(
        "What a server says on an idle connection is not the answer to the next request",
        arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", "\u{7}garbage", "HTTP/1.1 408 T\r\n"])
    func unsolicited(bytes: String) async throws {
        let gate = Latch()
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.respond("\(connection.number)")
            if connection.number == 1 {
                gate.wait()
                connection.write(bytes)
            }
            while connection.readRequest() != nil { connection.respond("\(connection.number)") }
        }) { engine, server in
            #expect(await engine.run(TransferRequest(server.url)).text == "1")
            gate.open()
            // The bytes have arrived when the connection is no longer watched.
            while await engine.isWatchingConnections() { await Task.yield() }
            for _ in 0..<2 {
                let record = await engine.run(TransferRequest(server.url))
                #expect(record.text == "2", "\(String(describing: record.error))")
            }
            #expect(server.connectionCount == 2)
        }
    }

    @Test("What a server says after its answer, in one go, is not the answer to the next request")
    func excess() async {
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(connection.number)"
            connection.write(
                connection.number == 1 ? answer + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil" : answer)
            connection.waitForEnd()
        }) { engine, server in
            for number in 1...2 { #expect(await engine.run(TransferRequest(server.url)).text == "\(number)") }
        }
    }

    @Test("What a server says after its answer is not the answer to a request that waited for the connection")
    func excessForWaiter() async {
        let isRead = Latch()
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            if connection.number > 1 {
                connection.respond("second")
            } else {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na")
                isRead.wait()
                connection.write("bHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
            }
            connection.waitForEnd()
        }) { engine, server in
            engine.maximumConnectionsPerHost = 1
            let first = RecordingHandler(onContent: { _, _ in
                isRead.open()
                return .accepted
            })
            let second = RecordingHandler()
            let transfers = [first, second].map { Transfer(request: TransferRequest(server.url), handler: $0) }
            engine.perform { for transfer in transfers { engine.loop.start(transfer) } }
            #expect(await first.finished().text == "ab")
            #expect(await second.finished().text == "second")
        }
    }

    @Test("A transfer that is to have a fresh connection and is cancelled ends")
    func cancelledBeforeFreshConnection() async {
        await withEngine(server: { $0.waitForEnd() }) { engine, server in
            let handler = RecordingHandler()
            let transfer = Transfer(request: TransferRequest(server.url), handler: handler)
            engine.start(transfer)
            engine.perform {
                transfer.driver?.wantsFreshConnection = true
                engine.loop.cancel(transfer)
            }
            #expect(await handler.finished().error?.kind == .cancelled)
        }
    }

    @Test("A connection whose transfer is paused is not idle, though libcurl has not named its socket")
    func paused() async {
        let more = Latch()
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
            more.wait()
            connection.write("def")
            connection.waitForEnd()
        }) { engine, server in
            let isPaused = Latch()
            let pauses = Locked(0)
            let handler = RecordingHandler(onContent: { _, _ in
                let count = pauses.withLock { count in
                    count += 1
                    return count
                }
                guard count == 1 else { return .accepted }
                isPaused.open()
                return .pause
            })
            let transfer = Transfer(request: TransferRequest(server.url), handler: handler)
            engine.start(transfer)
            isPaused.wait()
            // As it is when a transfer on an open connection gets so far in one call of libcurl's.
            engine.perform {
                guard let driver = transfer.driver, let sockets = engine.loop.poller?.sockets else { return }
                let user = UInt(bitPattern: Unmanaged.passUnretained(driver).toOpaque())
                #expect(!sockets.noteEnd(of: user, on: driver.socket))
                driver.socket = -1
            }
            more.open()
            while await engine.isWatchingConnections() { await Task.yield() }
            engine.resumeReceiving(transfer)
            #expect(await handler.finished().text == "abcdef")
        }
    }

    @Test("Connections with TLS are used again, whatever tickets the server sends", arguments: [false, true])
    func keepAlive(http2: Bool) async throws {
        let front = try FrontServer(http2: http2, options: "ssl_protocols TLSv1.3;")
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            front.stop()
        }
        for _ in 0..<10 {
            let record = await engine.run(front.request())
            #expect(record.text == "content")
            #expect(record.timings.httpVersion == (http2 ? "2" : "1.1"))
        }
        #expect(front.relay.connectionCount == 1)
    }

    @Test("An answer that arrives byte by byte is progress, though no TLS record is whole", arguments: [false, true])
    func drip(http2: Bool) async throws {
        let front = try FrontServer(http2: http2, options: "ssl_protocols TLSv1.3;")
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            front.stop()
        }
        #expect(await engine.run(front.request()).error == nil)
        front.relay.drip(1)
        let start = MonotonicClock.now
        let record = await engine.run(front.request(idleTimeout: 0.5))
        #expect(record.text == "content", "\(String(describing: record.error))")
        #expect(MonotonicClock.now - start > 1_000_000_000)
        #expect(record.timings.reusedConnection && record.timings.httpVersion == (http2 ? "2" : "1.1"))
    }

    @Test("A stream that gets nothing times out, though a record for another one arrives byte by byte")
    func dripForOthers() async throws {
        let (hangs, gate) = (Latch(), Latch())
        let backend = ScriptedServer { connection in
            guard let request = connection.readRequest() else { return }
            if request.head.contains("hang") {
                hangs.open()
                connection.waitForEnd()
            } else {
                gate.wait()
                connection.respond(String(repeating: "x", count: 200))
            }
        }
        let front = try FrontServer(http2: true, backend: backend, options: "ssl_protocols TLSv1.3;")
        let engine = TransportEngine()
        defer {
            gate.open()
            engine.shutdown()
            front.stop()
            backend.stop()
        }
        #expect(await engine.run(front.request()).error == nil)
        let dripped = RecordingHandler()
        engine.start(Transfer(request: front.request("/script/slow"), handler: dripped))
        let hanging = RecordingHandler()
        engine.start(Transfer(request: front.request("/script/hang", idleTimeout: 0.5), handler: hanging))
        hangs.wait()
        front.relay.drip(1)
        gate.open()
        #expect(await hanging.finished().error?.kind == .timedOut)
        #expect(dripped.record.outcomes.isEmpty)
        #expect(await dripped.finished().text.count == 200)
        #expect(front.relay.connectionCount == 1)
    }
}

extension TransportEngine {
    /// Whether connections are in the epoll set.
    func isWatchingConnections() async -> Bool {
        await withCheckedContinuation { continuation in
            perform { [self] in
                continuation.resume(returning: loop.poller?.sockets.watchedConnections.isEmpty == false)
            }
        }
    }
}
