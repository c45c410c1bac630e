// SPDX-License-Identifier: MIT
internal import Dispatch
internal import NetworkingSupport

/// Delivers byte counts to an operation's progress block, merging what piles up while its queue is busy.
///
/// The block is looked up when something is reported and again when it is delivered: it may be set at any time.
final class ProgressReporter: Sendable {
    enum Direction { case upload, download }
    typealias Block = @Sendable (Int, Int64, Int64) -> Void

    private struct State {
        var pending = 0
        var total: Int64 = 0
        var expected: Int64 = -1
        var isScheduled = false
    }

    private let direction: Direction
    private let state = Locked(State())

    init(_ direction: Direction) {
        self.direction = direction
    }

    /// - Parameters:
    ///   - bytes: since the last report.
    ///   - total: so far, of `expected`; −1: unknown.
    ///   - queue: where the block is called.
    func report(
        _ bytes: Int, total: Int64, expected: Int64, of operation: URLConnectionOperation, on queue: DispatchQueue
    ) {
        let schedules = state.withLock { state in
            state.pending += bytes
            state.total = total
            state.expected = expected
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if schedules { operation.runtime.on(queue) { [self] in deliver(to: operation) } }
    }

    private func deliver(to operation: URLConnectionOperation) {
        let (bytes, total, expected) = state.withLock { state in
            defer {
                state.pending = 0
                state.isScheduled = false
            }
            return (state.pending, state.total, state.expected)
        }
        operation.progressBlock(direction)?(bytes, total, expected)
    }
}

extension URLConnectionOperation {
    /// The block for a direction; nil: progress is not reported.
    func progressBlock(_ direction: ProgressReporter.Direction) -> ProgressReporter.Block? {
        lock.withLock {
            direction == .upload ? _configuration.value.uploadProgress : _configuration.value.downloadProgress
        }
    }

    /// The queue on which the block is called; nil: progress is not reported.
    func progressQueue(_ direction: ProgressReporter.Direction) -> DispatchQueue? {
        lock.withLock {
            progressBlock(direction).map { _ in _configuration.value.completionQueue ?? .sharedMain }
        }
    }
}
