// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import NetworkingTransport

/// The four ways in which a run loop, epoll and libcurl lose events together.
@Suite("Event loop traps", .timeLimit(.minutes(1)), .serialized)
struct TrapTests {
    @Test("300 responses that become ready at the same moment are all read")
    func edgeTriggered() async {
        // Trap 1: more events than a batch holds, and no further edge after them.
        let gate = Latch()
        let arrived = Locked(0)
        let server = ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            let count = arrived.withLock { count in
                count += 1
                return count
            }
            if count == 300 { gate.open() }
            gate.wait()
            connection.respond("x")
            connection.waitForEnd()
        }
        let engine = TransportEngine(eventBatchSize: 8)
        defer {
            engine.shutdown()
            server.stop()
        }
        engine.maximumConnectionsPerHost = 300
        let handlers = (0..<300).map { _ in
            RecordingHandler(onHead: { _, _ in
                // Everybody's bytes are there before the thread looks again.
                usleep(1000)
                return .deliver
            })
        }
        for handler in handlers {
            engine.start(Transfer(request: TransferRequest(server.url), handler: handler))
        }
        for handler in handlers {
            let record = await handler.finished()
            #expect(record.error == nil)
            #expect(record.text == "x")
        }
        #expect(server.connectionCount == 300)
    }

    @Test("A thousand moving deadlines do not set the timer a thousand times")
    func timerIsCheap() {
        // Trap 2: the timer is set only when it has to fire earlier than it would.
        let mailbox = EngineMailbox()
        guard let poller = Poller(mailbox: mailbox, batchSize: 8) else {
            Issue.record("no poller")
            return
        }
        let now = MonotonicClock.now
        for index in 0..<1000 { poller.wake(at: now + 1_000_000_000 + UInt64(index) * 1_000_000) }
        #expect(poller.timerSettings == 1)
        poller.wake(at: now + 500_000_000)
        #expect(poller.timerSettings == 2)
    }

    @Test("A transfer whose only next event is libcurl's timer goes on")
    func onlyATimer() async {
        // Trap 3: libcurl waits one second for a "100 Continue" that never comes, then sends the content. Other
        // transfers keep the loop busy with earlier deadlines meanwhile.
        await withEngine(server: { connection in
            while let request = connection.readHead() {
                if request.value("Expect") != nil {
                    var content = connection.bufferedCount
                    while content < 5 { content += max(connection.readSome(), 1) }
                    connection.respond("got it")
                } else {
                    connection.respond("x")
                }
            }
        }) { engine, server in
            var request = TransferRequest(server.url, method: "POST")
            request.headers = [HeaderField("Expect", "100-continue")]
            request.body = .data(Data("12345".utf8))
            let slow = RecordingHandler()
            engine.start(Transfer(request: request, handler: slow))
            for _ in 0..<50 {
                var short = TransferRequest(server.url)
                short.idleTimeout = 0.3
                let record = await engine.run(short)
                #expect(record.error == nil)
            }
            let record = await slow.finished()
            #expect(record.error == nil)
            #expect(record.text == "got it")
        }
    }

    @Test("Transfers started and cancelled while sockets come and go all end")
    func staleEvents() async {
        // Trap 4: descriptor numbers are reused at once; an event must not reach the wrong connection.
        await withEngine(server: { connection in
            guard let request = connection.readRequest() else { return }
            let name = request.lines[0].split(separator: " ")[1]
            connection.respond(String(name), headers: "Connection: close\r\n")
        }) { engine, server in
            engine.maximumConnectionsPerHost = 32
            let total = 1500
            let handlers = (0..<total).map { index in
                RecordingHandler(onHead: { transfer, _ in
                    if index % 3 == 0 { engine.cancel(transfer) }
                    return .deliver
                })
            }
            for (index, handler) in handlers.enumerated() {
                let request = TransferRequest(server.url + "/\(index)", policy: "policy \(index % 3)")
                engine.start(Transfer(request: request, handler: handler))
            }
            for (index, handler) in handlers.enumerated() {
                let record = await handler.finished()
                #expect(record.outcomes.count == 1)
                if let error = record.error {
                    #expect(error.kind == .cancelled && index % 3 == 0, "\(error)")
                } else {
                    #expect(record.text == "/\(index)")
                }
            }
        }
    }
}
