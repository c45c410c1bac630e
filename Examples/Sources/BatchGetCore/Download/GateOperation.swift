// SPDX-License-Identifier: MIT
internal import Foundation
internal import Synchronization

/// An operation that begins something and has finished when that has come to its end: it stands for it in the graph of
/// dependencies.
// Sendable because the only state is in `state`, which is behind a lock, and `body` does not change.
final class GateOperation: Operation, @unchecked Sendable {
    private enum State {
        case waiting, executing, finished
    }

    private let state = Mutex(State.waiting)
    private let body: @Sendable () -> Void

    /// - Parameter body: called once, also of an operation that was cancelled; `finish()` has to follow.
    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { state.withLock { $0 == .executing } }
    override var isFinished: Bool { state.withLock { $0 == .finished } }

    override func start() {
        let begins = state.withLock { state in
            guard state == .waiting else { return false }
            state = .executing
            return true
        }
        guard begins else { return }
        didChangeValue(forKey: "isExecuting")
        body()
    }

    func finish() {
        let ends = state.withLock { state in
            guard state == .executing else { return false }
            state = .finished
            return true
        }
        guard ends else { return }
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
    }
}
