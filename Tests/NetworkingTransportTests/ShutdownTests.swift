// SPDX-License-Identifier: MIT
import Testing

@testable import NetworkingTransport

/// `shutdown()` returns when the network thread has ended: what has not been told by then never is.
@Suite("The end of an engine", .timeLimit(.minutes(1))) struct ShutdownTests {
    @Test("A transfer that is started after it in the same pass ends, once")
    func samePass() async {
        let engine = TransportEngine()
        let handler = RecordingHandler()
        let transfer = Transfer(request: TransferRequest("http://127.0.0.1:1/"), handler: handler)
        await withCheckedContinuation { continuation in
            engine.perform {
                engine.shutdown()
                engine.start(transfer)
                continuation.resume()
            }
        }
        engine.shutdown()
        #expect(handler.record.outcomes.compactMap { $0.error?.kind } == [.cancelled])
    }

    @Test("A transfer that is held and has sent nothing ends, once, whenever it was held")
    func held() {
        let hole = BlackHole()
        defer { hole.close() }
        let engine = TransportEngine()
        engine.maximumConnectionsPerHost = 1
        let handlers = (0..<3).map { _ in RecordingHandler() }
        let transfers = handlers.map { Transfer(request: TransferRequest(hole.url), handler: $0) }
        // Before it is started, while it waits for another, and while its connection is made.
        engine.hold(transfers[0])
        engine.start(transfers[0])
        engine.start(transfers[2])
        engine.start(transfers[1])
        engine.hold(transfers[1])
        engine.hold(transfers[2])
        engine.shutdown()
        for (index, handler) in handlers.enumerated() {
            #expect(handler.record.outcomes.compactMap { $0.error?.kind } == [.cancelled], "\(index)")
        }
    }

    @Test("What is started when a transfer ends with the engine ends, too, and what is started then")
    func startedByOthers() {
        let server = ScriptedServer { $0.waitForEnd() }
        defer { server.stop() }
        let engine = TransportEngine()
        let request = TransferRequest(server.url)
        // The last one first.
        var handlers = [RecordingHandler()]
        for _ in 0..<4 {
            let next = Transfer(request: request, handler: handlers[handlers.count - 1])
            handlers.append(RecordingHandler(onFinish: { _ in engine.start(next) }))
        }
        engine.start(Transfer(request: request, handler: handlers[handlers.count - 1]))
        engine.shutdown()
        for (index, handler) in handlers.enumerated() {
            #expect(handler.record.outcomes.compactMap { $0.error?.kind } == [.cancelled], "\(index)")
        }
    }
}
