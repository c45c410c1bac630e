// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkingSupport
import Testing

@testable import NetworkingTransport

@Suite("Idle timeout", .timeLimit(.minutes(1)), .serialized)
struct IdleTimeoutTests {
    /// Seconds that `body` takes.
    ///
    /// The best of three: a machine with more to do than it can is late, but not three times in a row.
    private func seconds(_ body: () async -> Void) async -> Double {
        var best = Double.infinity
        for _ in 0..<3 where best > 0.7 {
            let start = MonotonicClock.now
            await body()
            best = min(best, Double(MonotonicClock.now - start) / 1e9)
        }
        return best
    }

    private func request(_ url: String, _ timeout: TimeInterval) -> TransferRequest {
        var request = TransferRequest(url)
        request.idleTimeout = timeout
        return request
    }

    @Test("A server that never answers times out after 0.5 s, and nothing else has to happen meanwhile")
    func silence() async {
        await withEngine(server: { $0.waitForEnd() }) { engine, server in
            let elapsed = await seconds {
                let record = await engine.run(request(server.url, 0.5))
                #expect(record.error?.kind == .timedOut)
                #expect(record.heads.isEmpty)
            }
            #expect(elapsed > 0.45 && elapsed < 0.7, "\(elapsed) s")
        }
    }

    @Test("A server that goes silent after the head times out 0.5 s after its last byte")
    func silenceAfterHead() async {
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
            connection.waitForEnd()
        }) { engine, server in
            let elapsed = await seconds {
                let record = await engine.run(request(server.url, 0.5))
                #expect(record.error?.kind == .timedOut)
                #expect(record.text == "12345")
            }
            #expect(elapsed > 0.45 && elapsed < 0.7, "\(elapsed) s")
        }
    }

    @Test("A byte every 300 ms never times out at 0.5 s")
    func drip() async {
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
            for byte in "abcdef" {
                connection.pause(milliseconds: 300)
                connection.write(String(byte))
            }
        }) { engine, server in
            let record = await engine.run(request(server.url, 0.5))
            #expect(record.error == nil)
            #expect(record.text == "abcdef")
        }
    }

    @Test("0, negative and absurd limits are no limit", arguments: [0, -1, .infinity, .nan, 1e300])
    func noLimit(timeout: TimeInterval) {
        #expect(TransferDriver.nanoseconds(timeout) == 0)
    }

    @Test("Waiting for a slot does not count")
    func waiting() async {
        await withEngine(server: { connection in
            while connection.readRequest() != nil {
                connection.pause(milliseconds: 300)
                connection.respond("x")
            }
        }) { engine, server in
            engine.maximumConnectionsPerHost = 1
            let handlers = (0..<6).map { _ in RecordingHandler() }
            for handler in handlers {
                engine.start(Transfer(request: request(server.url, 1), handler: handler))
            }
            var queued = 0.0
            for handler in handlers {
                let record = await handler.finished()
                #expect(record.error == nil)
                queued = max(queued, record.timings.queued)
            }
            #expect(queued > 1.2)
        }
    }

    @Test("Waiting for a stream on the host's connection, which has them one at a time, does not count")
    func waitingForStream() async {
        await withEngine(server: { connection in
            guard connection.beginHTTP2(.settings((.maximumConcurrentStreams, 1))) else { return }
            while let stream = connection.nextRequestStream() {
                connection.pause(milliseconds: 150)
                connection.put(.ok(stream), .data(stream, "x", ends: true))
            }
        }) { engine, server in
            engine.maximumConnectionsPerHost = 1
            var request = HTTP2FrameTests.request(server)
            request.idleTimeout = 0.6
            // From now on the engine counts on many streams.
            #expect(await engine.run(request).text == "x")
            let handlers = (0..<8).map { _ in RecordingHandler() }
            for handler in handlers { engine.start(Transfer(request: request, handler: handler)) }
            for handler in handlers {
                let record = await handler.finished()
                #expect(record.text == "x", "\(String(describing: record.error))")
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A response that its handler has paused does not time out")
    func paused() async {
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.respond("content")
            connection.waitForEnd()
        }) { engine, server in
            let calls = Locked(0)
            let handler = RecordingHandler(onContent: { transfer, _ in
                let isFirst = calls.withLock { count in
                    count += 1
                    return count == 1
                }
                guard isFirst else { return .accepted }
                startThread {
                    usleep(800_000)
                    engine.resumeReceiving(transfer)
                }
                return .pause
            })
            let record = await engine.run(request(server.url, 0.3), handler)
            #expect(record.error == nil)
            #expect(record.text == "content")
        }
    }

    @Test("A body source that waits does not time out")
    func waitingSource() async {
        await withEngine(server: { $0.respondToAll("done") }) { engine, server in
            var upload = TransferRequest(server.url, method: "POST")
            upload.idleTimeout = 0.3
            let source = ManualBodySource(length: 6)
            upload.body = .source(source)
            source.supply("abc")
            startThread {
                usleep(800_000)
                source.supply("def")
                source.end()
            }
            let record = await engine.run(upload)
            #expect(record.error == nil)
            #expect(record.text == "done")
        }
    }

    @Test("A server that reads slowly, but does read, does not time out an upload")
    func slowReader() async {
        let server = ScriptedServer(receiveBuffer: 131_072) { connection in
            guard let request = connection.readHead() else { return }
            var left = (Int(request.value("Content-Length") ?? "") ?? 0) - connection.bufferedCount
            // libcurl's and the kernel's buffers are full: its callbacks see nothing for longer than the limit.
            while left > 0 {
                let count = connection.readSome(40_000)
                guard count > 0 else { return }
                left -= count
                connection.pause(milliseconds: 20)
            }
            connection.respond("done")
        }
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            server.stop()
        }
        var upload = TransferRequest(server.url, method: "PUT")
        upload.idleTimeout = 1
        upload.body = .data(Data(repeating: 1, count: 6_000_000))
        let record = await engine.run(upload)
        #expect(record.error == nil)
        #expect(record.text == "done")
    }

    @Test("A server that stops reading an upload times out")
    func stuckReader() async {
        await withEngine(server: { connection in
            _ = connection.readHead()
            connection.pause(milliseconds: 3000)
        }) { engine, server in
            var upload = TransferRequest(server.url, method: "PUT")
            upload.idleTimeout = 0.5
            upload.body = .data(Data(repeating: 1, count: 50_000_000))
            let elapsed = await seconds {
                let record = await engine.run(upload)
                #expect(record.error?.kind == .timedOut)
            }
            #expect(elapsed > 0.45 && elapsed < 1.5, "\(elapsed) s")
        }
    }

    @Test("A connection attempt that nobody answers times out by the same limit")
    func connecting() async {
        // A listener whose queue is full drops what comes after.
        let server = BlackHole()
        defer { server.close() }
        let engine = TransportEngine()
        defer { engine.shutdown() }
        let elapsed = await seconds {
            let record = await engine.run(request(server.url, 0.5))
            #expect(record.error?.kind == .timedOut)
        }
        #expect(elapsed > 0.45 && elapsed < 0.7, "\(elapsed) s")
    }

    @Test("Those that wait for one connection that is made slowly do not time out as long as it gets on")
    func connectingSlowly() async throws {
        let front = try FrontServer(http2: true)
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            front.stop()
        }
        front.relay.drip(1, by: 20)
        let handlers = (0..<2).map { _ in RecordingHandler() }
        for handler in handlers {
            engine.start(Transfer(request: front.request(idleTimeout: 0.4), handler: handler))
        }
        for handler in handlers {
            let record = await handler.finished()
            #expect(record.text == "content", "\(String(describing: record.error))")
        }
        #expect(front.relay.connectionCount == 1)
    }

    @Test("What came while the process stood still is read before anything is ended for silence")
    func standstill() async {
        let (arrived, gate) = (Latch(), Latch())
        let server = ScriptedServer.holding(4, arrived: arrived, until: gate)
        // One socket in a look: the others are unread when the first has been.
        let engine = TransportEngine(eventBatchSize: 1)
        defer {
            gate.open()
            engine.shutdown()
            server.stop()
        }
        let handlers = (0..<4).map { _ in RecordingHandler() }
        for handler in handlers { engine.start(Transfer(request: request(server.url, 1), handler: handler)) }
        arrived.wait()
        engine.perform {
            // Until the timers of connecting are over, for which libcurl would look at all of them.
            usleep(300_000)
            engine.performSoon {
                gate.open()
                usleep(1_500_000)
            }
        }
        for handler in handlers { #expect(await handler.finished().text == "slow") }
    }

    @Test("A host that does not answer holds up no other that was asked at the same time", arguments: [true, false])
    func silentNeighbours(http2: Bool) async throws {
        let silent = [BlackHole(), BlackHole()]
        defer { for server in silent { server.close() } }
        let front = try FrontServer(http2: http2)
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            front.stop()
        }
        func start(_ request: TransferRequest) -> RecordingHandler {
            let handler = RecordingHandler()
            engine.start(Transfer(request: request, handler: handler))
            return handler
        }
        for server in silent {
            let url = server.url.replacing("http:", with: "https:")
            for _ in 0..<6 { _ = start(request(url, 60)) }
        }
        // With a limit that they reach only where those hold them up: until then nothing else comes to help.
        let handlers = (0..<6).map { _ in start(front.request(idleTimeout: 5)) }
        for handler in handlers {
            let record = await handler.finished()
            #expect(record.error == nil && record.text == "content")
        }
    }

    @Test("Those that wait for one connection attempt that nobody answers time out by the same limit, not one by one")
    func connectingTogether() async throws {
        let server = BlackHole()
        defer { server.close() }
        let engine = TransportEngine()
        defer { engine.shutdown() }
        let url = server.url.replacing("http:", with: "https:")
        let elapsed = await seconds {
            await withTaskGroup(of: TransferError.Kind?.self) { group in
                for number in 0..<5 {
                    group.addTask {
                        // Each finds the attempt of the first under way.
                        try? await Task.sleep(for: .milliseconds(100 * number))
                        return await engine.run(request(url, 0.5)).error?.kind
                    }
                }
                for await kind in group { #expect(kind == .timedOut) }
            }
        }
        #expect(elapsed > 0.85 && elapsed < 1.5, "\(elapsed) s")
    }
}
