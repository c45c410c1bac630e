// SPDX-License-Identifier: MIT
package import Foundation

/// A door that is opened once: holds a scripted response back until the test says go, or tells the test that a script
/// has come to a certain step.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var actions: [@Sendable () -> Void] = []
    }
    private let state = Monitor(State())

    package init() {}

    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Opens the gate for good. Doing it again changes nothing.
    package func open() {
        let actions = state.withLock { state -> [@Sendable () -> Void] in
            state.isOpen = true
            defer { state.actions = [] }
            return state.actions
        }
        for action in actions { action() }
    }

    /// Suspends until the gate is open.
    package func wait() async {
        await withCheckedContinuation { continuation in
            whenOpen { continuation.resume() }
        }
    }

    /// Blocks the calling thread until the gate is open. False: the time was up first.
    package func wait(timeout: TimeInterval) -> Bool {
        state.wait(timeout: timeout) { $0.isOpen ? true : nil } ?? false
    }

    /// Calls `action` when the gate opens, or at once if it is open.
    func whenOpen(_ action: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state -> Bool in
            if !state.isOpen { state.actions.append(action) }
            return state.isOpen
        }
        if isOpen { action() }
    }
}
