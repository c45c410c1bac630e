// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

@Suite("Holding transfers", .timeLimit(.minutes(1)))
struct HoldTests {
    /// Waits for a pass of the network thread, and a value from it.
    private func onThread<Value: Sendable>(_ engine: TransportEngine, _ body: @escaping @Sendable () -> Value) async
        -> Value
    {
        await withCheckedContinuation { continuation in engine.perform { continuation.resume(returning: body()) } }
    }

    @Test("A held download stands still, does not time out, and goes on where it was")
    func download() async {
        let more = Latch()
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
            more.wait()
            connection.write("def")
        }) { engine, server in
            let arrived = Latch()
            let handler = RecordingHandler(onContent: { transfer, _ in
                arrived.open()
                return .accepted
            })
            var request = TransferRequest(server.url)
            request.idleTimeout = 0.3
            let transfer = Transfer(request: request, handler: handler)
            engine.start(transfer)
            arrived.wait()
            engine.hold(transfer)
            #expect(await onThread(engine) { transfer.mayHaveReachedServer })
            more.open()
            // Longer than its idle time: another one times out meanwhile.
            let silent = ScriptedServer { $0.waitForEnd() }
            defer { silent.stop() }
            var other = TransferRequest(silent.url)
            other.idleTimeout = 0.6
            #expect(await engine.run(other).error?.kind == .timedOut)
            #expect(handler.record.text == "abc" && handler.record.outcomes.isEmpty)
            engine.release(transfer)
            #expect(await handler.finished().text == "abcdef")
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A held upload sends nothing more, and goes on where it was")
    func upload() async {
        await withEngine(server: { connection in
            guard let request = connection.readRequest() else { return }
            connection.respond(String(decoding: request.content, as: UTF8.self))
        }) { engine, server in
            let source = ManualBodySource(length: 6)
            var request = TransferRequest(server.url, method: "POST")
            request.body = .source(source)
            request.idleTimeout = 5
            let handler = RecordingHandler()
            let transfer = Transfer(request: request, handler: handler)
            engine.start(transfer)
            source.supply("abc")
            while handler.record.sent < 3 { await Task.yield() }
            engine.hold(transfer)
            _ = await onThread(engine) {}
            source.supply("def")
            source.end()
            for _ in 0..<3 { _ = await onThread(engine) {} }
            #expect(handler.record.sent == 3)
            engine.release(transfer)
            #expect(await handler.finished().text == "abcdef")
        }
    }

    @Test("A response head that is read while the transfer is held counts", arguments: ["GET", "POST"])
    func head(method: String) async {
        let hasAnswered = Latch()
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            hasAnswered.wait()
            connection.respond("content", headers: "A: b\r\n")
        }) { engine, server in
            let handler = RecordingHandler()
            var request = TransferRequest(server.url, method: method)
            if method == "POST" { request.body = .data(Data("x".utf8)) }
            let transfer = Transfer(request: request, handler: handler)
            engine.start(transfer)
            while !(await onThread(engine) { transfer.mayHaveReachedServer }) { await Task.yield() }
            engine.hold(transfer)
            let socket = await onThread(engine) { transfer.driver?.socket ?? -1 }
            hasAnswered.open()
            var readiness = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            #expect(poll(&readiness, 1, 10_000) == 1)
            // libcurl remembers from the release that there may be something to read.
            engine.perform {
                engine.release(transfer)
                engine.hold(transfer)
            }
            for _ in 0..<3 { _ = await onThread(engine) {} }
            engine.release(transfer)
            let record = await handler.finished()
            #expect(record.text == "content", "\(String(describing: record.error))")
            #expect(record.heads.first?.firstValue(for: "A") == "b")
        }
    }

    @Test("Those that are held on their connections keep nobody else from a host, and go on or end as they like")
    func others() async {
        let more = Latch()
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                guard request.head.contains("/held") else {
                    connection.respond("other")
                    continue
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
                more.wait()
                connection.write("def")
            }
        }) { engine, server in
            engine.maximumConnectionsPerHost = 2
            let handlers = (0..<4).map { _ in RecordingHandler() }
            let transfers = handlers.map { Transfer(request: TransferRequest(server.url + "/held"), handler: $0) }
            for (transfer, handler) in zip(transfers, handlers) {
                // Two that are held already do not keep it, nor the next, from the host.
                engine.start(transfer)
                while handler.record.text != "abc" { await Task.yield() }
                engine.hold(transfer)
                engine.hold(transfer)
            }
            #expect(await engine.run(TransferRequest(server.url)).text == "other")
            engine.cancel(transfers[3])
            #expect(await handlers[3].finished().error?.kind == .cancelled)
            more.open()
            // Twice: the second has no effect.
            for transfer in transfers.dropLast() + transfers.dropLast() { engine.release(transfer) }
            for handler in handlers.dropLast() { #expect(await handler.finished().text == "abcdef") }
            #expect(await onThread(engine) { engine.loop.admissions.connectionCount } == 0)
            // The limit is what it was.
            let request = TransferRequest(server.url)
            let two = (0..<2).map { _ in RecordingHandler() }
            let third = Transfer(request: request, handler: RecordingHandler())
            let phase = await onThread(engine) {
                for handler in two { engine.loop.start(Transfer(request: request, handler: handler)) }
                engine.loop.start(third)
                return third.phase
            }
            #expect(phase == .waiting)
            for handler in two { #expect(await handler.finished().text == "other") }
        }
    }

    @Test("A transfer that is held while it waits, or before it starts, takes no slot until it is released")
    func waiting() async {
        let order = Locked<[String]>([])
        let gate = Latch()
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                order.withLock { $0.append(String(request.lines[0].split(separator: " ")[1])) }
                gate.wait()
                connection.respond("x")
            }
        }) { engine, server in
            engine.maximumConnectionsPerHost = 1
            let handlers = (0..<5).map { _ in RecordingHandler() }
            let transfers = handlers.enumerated().map {
                Transfer(request: TransferRequest(server.url + "/\($0)"), handler: $1)
            }
            engine.hold(transfers[4])
            for transfer in transfers { engine.start(transfer) }
            engine.hold(transfers[1])
            engine.hold(transfers[1])
            engine.hold(transfers[2])
            gate.open()
            #expect(await handlers[0].finished().error == nil)
            #expect(await handlers[3].finished().error == nil)
            #expect(await onThread(engine) { !transfers[1].mayHaveReachedServer && transfers[0].mayHaveReachedServer })
            // One that is cancelled while it is held ends.
            engine.cancel(transfers[2])
            #expect(await handlers[2].finished().error?.kind == .cancelled)
            engine.perform { for index in [4, 1, 2] { engine.release(transfers[index]) } }
            for handler in handlers { _ = await handler.finished() }
            #expect(order.withLock { $0 }.sorted() == ["/0", "/1", "/3", "/4"])
        }
    }

    @Test(
        "One that is held when it is to be sent again, and has no connection yet, waits for its release",
        arguments: ["GET", "PUT"])
    func repetition(method: String) async throws {
        let both = Latch()
        let (hasArrived, hasContent) = (Locked(false), Locked(false))
        try await withEngine(server: { connection in
            let isKept = connection.number <= 2
            guard let request = connection.readRequest(withContent: isKept) else { return }
            guard !isKept else {
                if connection.number == 2 { both.open() }
                both.wait()
                connection.respond("kept")
                // All that the next one gets is the end.
                _ = connection.readRequest()
                return
            }
            hasArrived.withLock { $0 = true }
            if request.value("Content-Length") != nil {
                guard connection.read(6) != nil else { return }
                hasContent.withLock { $0 = true }
            }
            connection.respond("x")
            connection.waitForEnd()
        }) { engine, server in
            let kept = (0..<2).map { _ in RecordingHandler() }
            for handler in kept { engine.start(Transfer(request: TransferRequest(server.url), handler: handler)) }
            for handler in kept { #expect(await handler.finished().text == "kept") }
            var request = TransferRequest(server.url, method: method)
            if method == "PUT" {
                let source = ManualBodySource(length: 6, canRewind: true)
                source.supply("abcdef")
                source.end()
                request.body = .source(source)
            }
            // libcurl repeats it on the other connection that was used, the engine on one of its own.
            let beginnings = Locked(0)
            let handler = RecordingHandler(onBegin: { transfer in
                let count = beginnings.withLock { count in
                    count += 1
                    return count
                }
                if count == 2 { engine.hold(transfer) }
            })
            let transfer = Transfer(request: request, handler: handler)
            engine.start(transfer)
            // The head arrives all the same.
            try await eventually("the repetition") {
                let record = handler.record
                let isThere = method == "GET" ? !record.heads.isEmpty : hasArrived.withLock { $0 }
                return isThere || !record.outcomes.isEmpty
            }
            for _ in 0..<3 { _ = await onThread(engine) {} }
            let held = handler.record
            #expect(held.outcomes.isEmpty && held.text.isEmpty, "\(String(describing: held.error))")
            #expect(!hasContent.withLock { $0 })
            engine.release(transfer)
            let record = await handler.finished()
            #expect(record.error == nil && record.text == "x", "\(String(describing: record.error))")
            #expect(beginnings.withLock { $0 } == 2)
            #expect(server.connectionCount == 3)
        }
    }

    @Test("One that is held while its connection is made sends nothing, and gives its slot to another")
    func connecting() async {
        let hole = BlackHole()
        defer { hole.close() }
        let engine = TransportEngine()
        defer { engine.shutdown() }
        engine.maximumConnectionsPerHost = 1
        let handlers = (0..<2).map { _ in RecordingHandler() }
        let transfers = handlers.map { Transfer(request: TransferRequest(hole.url), handler: $0) }
        for transfer in transfers { engine.start(transfer) }
        let first = await onThread(engine) { transfers.map(\.phase) }
        #expect(first == [.active, .waiting])
        engine.hold(transfers[0])
        let second = await onThread(engine) { transfers.map(\.phase) }
        #expect(second == [.waiting, .active])
        #expect(await onThread(engine) { !transfers[0].mayHaveReachedServer })
        for transfer in transfers { engine.cancel(transfer) }
        for handler in handlers { #expect(await handler.finished().error?.kind == .cancelled) }
    }

    @Test("An origin that answers in HTTP/2 has 100 requests at a time on one connection, one in HTTP/1 has six")
    func streams() async throws {
        let counts = Locked((now: 0, most: 0))
        let arrived = Latch()
        let gate = Latch()
        let backend = ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            let now = counts.withLock { counts in
                counts.now += 1
                return counts.now
            }
            if now == 60 { arrived.open() }
            gate.wait()
            connection.respond("x")
        }
        let front = try FrontServer(http2: true, backend: backend)
        let engine = TransportEngine()
        defer {
            gate.open()
            engine.shutdown()
            front.stop()
            backend.stop()
        }
        let origin = front.request().origin
        #expect(engine.capacity(ofOrigin: origin) == 6)
        #expect(await engine.run(front.request()).text == "content")
        #expect(engine.capacity(ofOrigin: origin) == 100)
        #expect(engine.capacity(ofOrigin: "http://elsewhere") == 6)
        let handlers = (0..<60).map { _ in RecordingHandler() }
        for handler in handlers { engine.start(Transfer(request: front.request("/script"), handler: handler)) }
        arrived.wait()
        gate.open()
        for handler in handlers { #expect(await handler.finished().text == "x") }
        #expect(front.relay.connectionCount == 1)
    }
}
