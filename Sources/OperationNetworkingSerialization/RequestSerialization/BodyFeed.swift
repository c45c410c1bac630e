// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingSupport

/// The link between the task that makes a request's content and the thread that sends it: one piece waits at a time,
/// and the task until it has been taken.
final class BodyFeed: Sendable {
    private struct State {
        var piece = Data()
        /// Bytes of `piece` that have been read.
        var position = 0
        /// The task, while its piece waits. True: go on.
        var producer: CheckedContinuation<Bool, Never>?
        var isEnded = false
        var error: (any Error)?
        var isClosed = false
        /// True if the reader has found nothing and waits for a signal.
        var isAwaited = false
        var task: Task<Void, Never>?

        mutating func stopWaiting() -> Bool {
            defer { isAwaited = false }
            return isAwaited
        }
    }

    enum Reading {
        case bytes(Int)
        case end
        /// Without an error: closed.
        case failed((any Error)?)
    }

    private let state = Locked(State())
    /// Signalled once for each `isAwaited`.
    private let available = DispatchSemaphore(value: 0)

    /// Begins to take the elements of a sequence, in a task.
    func start<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces) where Pieces.Element == Data {
        let task = Task { [self] in
            do {
                for try await piece in pieces {
                    guard await put(piece) else { return }
                }
                end(nil)
            } catch {
                end(error)
            }
        }
        let isClosed = state.withLock { state in
            state.task = task
            return state.isClosed
        }
        if isClosed { task.cancel() }
    }

    /// Waits until the piece was read. False: the feed was closed.
    private func put(_ piece: Data) async -> Bool {
        await withCheckedContinuation { continuation in
            let (answer, wakes) = state.withLock { state -> (Bool?, Bool) in
                guard !state.isClosed else { return (false, false) }
                guard !piece.isEmpty else { return (true, false) }
                state.piece = piece
                state.position = 0
                state.producer = continuation
                return (nil, state.stopWaiting())
            }
            if wakes { available.signal() }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func end(_ error: (any Error)?) {
        let wakes = state.withLock { state in
            state.isEnded = true
            state.error = error
            return state.stopWaiting()
        }
        if wakes { available.signal() }
    }

    /// True if bytes wait to be read.
    var hasPiece: Bool { state.withLock { !$0.piece.isEmpty } }

    /// Fills `buffer` as far as a piece goes; blocks until there is one.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
        guard buffer.count > 0 else { return .failed(nil) }
        while true {
            let (reading, producer) = state.withLock { state -> (Reading?, CheckedContinuation<Bool, Never>?) in
                guard !state.isClosed else { return (.failed(nil), nil) }
                let count = min(buffer.count, state.piece.count - state.position)
                guard count > 0 else {
                    if state.isEnded { return (state.error.map { .failed($0) } ?? .end, nil) }
                    state.isAwaited = true
                    return (nil, nil)
                }
                let start = state.piece.startIndex + state.position
                state.piece.copyBytes(to: buffer, from: start..<start + count)
                state.position += count
                guard state.position == state.piece.count else { return (.bytes(count), nil) }
                state.piece = Data()
                state.position = 0
                return (.bytes(count), state.producer.take())
            }
            producer?.resume(returning: true)
            if let reading { return reading }
            available.wait()
        }
    }

    /// Ends a read that waits, and the task.
    func close() {
        let (wakes, producer, task) = state.withLock { state in
            state.isClosed = true
            state.piece = Data()
            return (state.stopWaiting(), state.producer.take(), state.task.take())
        }
        task?.cancel()
        producer?.resume(returning: false)
        if wakes { available.signal() }
    }
}
