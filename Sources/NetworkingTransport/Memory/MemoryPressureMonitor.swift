// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// Tells when the system is short of memory, by a descriptor of the kernel's in the set of the network thread.
///
/// The descriptor is open while there are subscriptions. On a kernel without this feature no handler is called.
package final class MemoryPressureMonitor: Sendable {
    package typealias Handler = @Sendable () -> Void

    /// Ends with its release.
    package final class Subscription: Sendable {
        private let number: UInt64
        private let monitor: MemoryPressureMonitor

        fileprivate init(_ monitor: MemoryPressureMonitor, _ number: UInt64) {
            self.monitor = monitor
            self.number = number
        }

        deinit { monitor.unsubscribe(number) }
    }

    private struct State {
        var handlers: [UInt64: Handler] = [:]
        var lastNumber: UInt64 = 0
        var trigger: PressureTrigger?
        /// True while a trigger is being made, outside the lock.
        var isOpening = false
    }

    /// The system's, by the engine of all operations.
    package static let shared = MemoryPressureMonitor(engine: .shared, makeTrigger: PressureTrigger.system)

    private let engine: TransportEngine
    private let makeTrigger: @Sendable () -> PressureTrigger?
    private let state = Locked(State())

    init(engine: TransportEngine, makeTrigger: @escaping @Sendable () -> PressureTrigger?) {
        self.engine = engine
        self.makeTrigger = makeTrigger
    }

    /// True while the kernel is watched.
    var isListening: Bool { state.withLock { $0.trigger != nil } }

    /// Calls `handler` on the network thread, which it must not keep, whenever memory is short.
    package func subscribe(_ handler: @escaping Handler) -> Subscription {
        let (number, opens) = state.withLock { state -> (UInt64, Bool) in
            state.lastNumber += 1
            state.handlers[state.lastNumber] = handler
            let opens = state.trigger == nil && !state.isOpening
            if opens { state.isOpening = true }
            return (state.lastNumber, opens)
        }
        if opens { open() }
        return Subscription(self, number)
    }

    /// On any thread: a file is opened.
    private func open() {
        let trigger = makeTrigger()
        let isWanted = state.withLock { state -> Bool in
            state.isOpening = false
            // The last subscription may have ended meanwhile.
            guard !state.handlers.isEmpty else { return false }
            state.trigger = trigger
            return true
        }
        guard isWanted, let trigger else { return }
        engine.perform { [self] in watch(trigger) }
    }

    private func unsubscribe(_ number: UInt64) {
        let (handler, trigger) = state.withLock { state -> (Handler?, PressureTrigger?) in
            let handler = state.handlers.removeValue(forKey: number)
            return (handler, state.handlers.isEmpty ? state.trigger.take() : nil)
        }
        withExtendedLifetime(handler) {}
        guard let trigger else { return }
        engine.perform { [engine] in engine.unwatch(trigger.descriptor) }
    }

    /// On the network thread.
    private func watch(_ trigger: PressureTrigger) {
        // A caller that has unsubscribed meanwhile was quicker with the mailbox.
        guard state.withLock({ $0.trigger === trigger }) else { return }
        let failure = engine.watch(trigger.descriptor, for: .priority) { [weak self, weak trigger] in
            guard let self, let trigger else { return }
            tell(trigger)
        }
        guard failure != nil else { return }
        state.withLock { if $0.trigger === trigger { $0.trigger = nil } }
    }

    private func tell(_ trigger: PressureTrigger) {
        let handlers = state.withLock { $0.trigger === trigger ? Array($0.handlers.values) : [] }
        for handler in handlers { handler() }
    }
}
