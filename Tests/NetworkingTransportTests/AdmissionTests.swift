// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import NetworkingTransport

@Suite("Admission", .timeLimit(.minutes(2)))
struct AdmissionTests {
    /// A server that knows how many requests it had in hand at most.
    private final class Gauge: Sendable {
        private let counts = Locked((now: 0, most: 0))
        var most: Int { counts.withLock { $0.most } }
        func enter() {
            counts.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
        }
        func leave() { counts.withLock { $0.now -= 1 } }
        func serve(_ connection: ScriptedConnection) {
            while connection.readRequest() != nil {
                enter()
                connection.pause(milliseconds: 5)
                leave()
                connection.respond("x")
            }
        }
    }

    @Test("No more transfers than allowed are under way to one origin", arguments: [1, 2, 6, 20])
    func limit(limit: Int) async {
        let gauge = Gauge()
        await withEngine(server: { gauge.serve($0) }) { engine, server in
            engine.maximumConnectionsPerHost = limit
            #expect(engine.maximumConnectionsPerHost == limit)
            let handlers = (0..<60).map { _ in RecordingHandler() }
            for handler in handlers { engine.start(Transfer(request: TransferRequest(server.url), handler: handler)) }
            for handler in handlers { #expect(await handler.finished().error == nil) }
            // Both reach the limit, unless a loaded machine answers sooner than it accepts.
            #expect(gauge.most <= limit && gauge.most > limit / 3)
            #expect(server.connectionCount <= limit)
        }
    }

    @Test("The default is 6, and less than 1 is 1")
    func defaults() {
        let engine = TransportEngine()
        defer { engine.shutdown() }
        #expect(engine.maximumConnectionsPerHost == 6)
        engine.maximumConnectionsPerHost = -3
        #expect(engine.maximumConnectionsPerHost == 1)
        engine.maximumConnectionsPerHost = .max
        #expect(engine.maximumConnectionsPerHost == .max)
    }

    @Test("Higher priorities leave the waiting list first, equal ones in order")
    func priority() async {
        let order = Locked<[String]>([])
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                let target = String(request.lines[0].split(separator: " ")[1])
                order.withLock { $0.append(target) }
                connection.respond("x")
            }
        }) { engine, server in
            engine.maximumConnectionsPerHost = 1
            var handlers: [RecordingHandler] = []
            let transfers = (0..<30).map { index in
                var request = TransferRequest(server.url + "/\(index % 3)-\(index)")
                request.priority = index % 3
                let handler = RecordingHandler()
                handlers.append(handler)
                return Transfer(request: request, handler: handler)
            }
            // In one command, so that the first is the only one that finds a free slot.
            engine.perform { for transfer in transfers { engine.start(transfer) } }
            for handler in handlers { _ = await handler.finished() }
            let expected = [0] + (0..<30).filter { $0 > 0 }.sorted { ($1 % 3, $0) < ($0 % 3, $1) }
            #expect(order.withLock { $0 } == expected.map { "/\($0 % 3)-\($0)" })
        }
    }

    @Test("A higher limit lets waiting transfers go at once")
    func raisedLimit() async {
        let gate = Latch()
        let arrived = Latch()
        let count = Locked(0)
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 10 { arrived.open() }
            gate.wait()
            connection.respond("x")
        }) { engine, server in
            engine.maximumConnectionsPerHost = 1
            let handlers = (0..<10).map { _ in RecordingHandler() }
            for handler in handlers { engine.start(Transfer(request: TransferRequest(server.url), handler: handler)) }
            engine.maximumConnectionsPerHost = 10
            arrived.wait()
            gate.open()
            for handler in handlers { #expect(await handler.finished().error == nil) }
        }
    }

    @Test("100 000 transfers wait, are cancelled in any order, and the rest complete")
    func many() async {
        await withEngine(server: { $0.respondToAll("x") }) { engine, server in
            let total = 100_000
            let counts = Locked((done: 0, cancelled: 0, ended: 0))
            let finished = Latch()
            let request = TransferRequest(server.url)
            final class Counter: TransferHandler {
                let counts: Locked<(done: Int, cancelled: Int, ended: Int)>
                let finished: Latch
                init(_ counts: Locked<(done: Int, cancelled: Int, ended: Int)>, _ finished: Latch) {
                    self.counts = counts
                    self.finished = finished
                }
                func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> BodyDelivery { .deliver }
                func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> ReceiveResult {
                    .accepted
                }
                func transfer(_ transfer: Transfer, didSend total: Int64) {}
                func transfer(_ transfer: Transfer, didFinish outcome: TransferOutcome) {
                    let ended = counts.withLock { counts in
                        if outcome.error == nil { counts.done += 1 }
                        if outcome.error?.kind == .cancelled { counts.cancelled += 1 }
                        counts.ended += 1
                        return counts.ended
                    }
                    if ended == 100_000 { finished.open() }
                }
            }
            let counter = Counter(counts, finished)
            let transfers = (0..<total).map { _ in Transfer(request: request, handler: counter) }
            for transfer in transfers { engine.start(transfer) }
            let cancelled = transfers.shuffled().prefix(total - 500)
            for transfer in cancelled { engine.cancel(transfer) }
            await withCheckedContinuation { continuation in
                startThread {
                    finished.wait()
                    continuation.resume()
                }
            }
            let result = counts.withLock { $0 }
            #expect(result.done + result.cancelled == total)
            #expect(result.done >= 500)
        }
    }

    @Test("Cancelling is heard before, during and after a transfer, any number of times")
    func cancel() async {
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")
            connection.waitForEnd()
        }) { engine, server in
            // Before it was started.
            let early = RecordingHandler()
            let earlyTransfer = Transfer(request: TransferRequest(server.url), handler: early)
            engine.cancel(earlyTransfer)
            engine.start(earlyTransfer)
            #expect(await early.finished().error?.kind == .cancelled)
            #expect(server.connectionCount == 0)
            // While it waits.
            engine.maximumConnectionsPerHost = 1
            let active = RecordingHandler(onContent: { transfer, _ in
                engine.cancel(transfer)
                engine.cancel(transfer)
                return .accepted
            })
            let waiting = RecordingHandler()
            let activeTransfer = Transfer(request: TransferRequest(server.url), handler: active)
            let waitingTransfer = Transfer(request: TransferRequest(server.url), handler: waiting)
            engine.perform {
                engine.start(activeTransfer)
                engine.start(waitingTransfer)
                engine.cancel(waitingTransfer)
            }
            #expect(await waiting.finished().error?.kind == .cancelled)
            // While it runs, from its own callback.
            let record = await active.finished()
            #expect(record.error?.kind == .cancelled)
            #expect(record.text == "ab")
            // After it has ended, and starting it again does nothing.
            engine.cancel(activeTransfer)
            engine.start(activeTransfer)
            await withCheckedContinuation { continuation in engine.perform { continuation.resume() } }
            for handler in [early, waiting, active] { #expect(handler.record.outcomes.count == 1) }
        }
    }
}
