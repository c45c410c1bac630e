// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import NetworkingSupport
import Testing

@testable import NetworkingTransport

@Suite("Shortage of memory", .timeLimit(.minutes(1)))
struct MemoryPressureTests {
    @Test("The kernel's trigger is taken where there is one, and closed with the last subscriber")
    func trigger() throws {
        let engine = TransportEngine()
        defer { engine.shutdown() }
        let isThere = FileManager.default.isWritableFile(atPath: "/proc/pressure/memory")
        let monitor = MemoryPressureMonitor(engine: engine, makeTrigger: PressureTrigger.system)
        #expect(!monitor.isListening)
        let first = monitor.subscribe {}
        #expect(!isThere || monitor.isListening)
        var second: MemoryPressureMonitor.Subscription? = monitor.subscribe {}
        withExtendedLifetime(first) {}
        second = nil
        #expect(second == nil)
    }

    @Test("Subscribers come and go on any threads, and in the end nothing is left")
    func subscriptions() {
        let engine = TransportEngine()
        defer { engine.shutdown() }
        let monitor = MemoryPressureMonitor(engine: engine, makeTrigger: PressureTrigger.system)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<50 { withExtendedLifetime(monitor.subscribe {}) {} }
        }
        #expect(!monitor.isListening)
        let latch = Latch()
        engine.perform {
            #expect(engine.loop.watches.isEmpty)
            latch.open()
        }
        latch.wait()
    }

    @Test("Without such a kernel, or an engine, nothing is told and nothing fails")
    func absent() {
        let engine = TransportEngine()
        let without = MemoryPressureMonitor(engine: engine) { nil }
        withExtendedLifetime(without.subscribe {}) { #expect(!without.isListening) }
        engine.shutdown()
        let ended = MemoryPressureMonitor(engine: engine, makeTrigger: PressureTrigger.system)
        withExtendedLifetime(ended.subscribe {}) { #expect(!ended.isListening) }
    }
}
