// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingSupport

/// A signal or a time that a run waits for. One task waits at a time; signals that come meanwhile are not lost.
final class Wakeup: Sendable {
    private struct State {
        var isSignaled = false
        var waiter: CheckedContinuation<Void, Never>?
        var round = 0
    }

    private let state = Locked(State())
    private static let timers = DispatchQueue(label: "OperationNetworking.durableTimers")

    func signal() {
        let waiter = state.withLock { state in
            state.isSignaled = state.waiter == nil
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Returns after a signal, or after so many seconds.
    func wait(_ seconds: TimeInterval) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let round = state.withLock { state -> Int? in
                state.round += 1
                if state.isSignaled {
                    state.isSignaled = false
                    return nil
                }
                state.waiter = continuation
                return state.round
            }
            guard let round else { return continuation.resume() }
            Self.timers.asyncAfter(deadline: .now() + max(seconds, 0.001)) { [weak self] in self?.timeIsOver(round) }
        }
    }

    private func timeIsOver(_ round: Int) {
        let waiter = state.withLock { state in state.round == round ? state.waiter.take() : nil }
        waiter?.resume()
    }
}
