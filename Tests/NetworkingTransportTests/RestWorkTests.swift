// SPDX-License-Identifier: MIT
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

@Suite("Work for a moment of rest", .timeLimit(.minutes(1))) struct RestWorkTests {
    @Test("It comes after the work of the same turn")
    func order() async {
        let engine = TransportEngine()
        defer { engine.shutdown() }
        let log = Locked<[String]>([])
        await withCheckedContinuation { continuation in
            engine.perform {
                engine.performAtRest {
                    log.withLock { $0.append("rest") }
                    continuation.resume()
                }
                engine.perform { log.withLock { $0.append("work") } }
            }
        }
        #expect(log.withLock { $0 } == ["work", "rest"])
    }

    @Test("It comes also while there is always something to do")
    func busy() async {
        let engine = TransportEngine()
        defer { engine.shutdown() }
        let isOver = Locked(false)
        @Sendable func keepBusy() {
            if !isOver.withLock({ $0 }) { engine.perform { keepBusy() } }
        }
        engine.perform { keepBusy() }
        await withCheckedContinuation { continuation in engine.performAtRest { continuation.resume() } }
        isOver.withLock { $0 = true }
    }

    @Test("Work that may wait is done later, once for all, with nothing else to do")
    func soon() async {
        let engine = TransportEngine()
        defer { engine.shutdown() }
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    await withCheckedContinuation { continuation in engine.performSoon { continuation.resume() } }
                }
            }
        }
        #expect(ContinuousClock.now - start >= .milliseconds(1))
    }

    @Test("After the engine's end it is done at once")
    func ended() {
        let engine = TransportEngine()
        engine.shutdown()
        let isDone = Locked(0)
        engine.performAtRest { isDone.withLock { $0 += 1 } }
        engine.performSoon { isDone.withLock { $0 += 1 } }
        #expect(isDone.withLock { $0 } == 2)
    }

    @Test("The engine's end does what was left for later")
    func endsWithWork() async {
        let engine = TransportEngine()
        await withCheckedContinuation { continuation in
            engine.perform {
                engine.performSoon { continuation.resume() }
                engine.shutdown()
            }
        }
    }
}
