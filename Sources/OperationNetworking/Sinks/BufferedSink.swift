internal import Dispatch
internal import Foundation
internal import NetworkingSupport
internal import NetworkingTransport

/// Hands content to a writer that may block, through a bounded buffer and a queue of its own: a slow writer pauses its
/// own transfer and nobody else's.
// Sendable because `state` is behind a lock and `writer` is used on `queue` only.
final class BufferedSink: ResponseSink, @unchecked Sendable {
    private struct State {
        /// Content not yet handed to the writer, oldest first.
        var chunks: [Chunk] = []
        var pendingBytes = 0
        var bytesAccepted: Int64 = 0
        var isDraining = false
        var isPaused = false
        var isOpen = false
        var isDiscarded = false
        var failure: (any Error)?
        var completion: (@Sendable ((any Error)?) -> Void)?
        /// Held weakly by nobody: cleared when the sink ends.
        var events: (any ResponseSinkEvents)?
        var spare: Chunk?
        /// Only for writers that cannot go back: what was accepted, and the check of what arrives once more.
        var fingerprint: ContentFingerprint?
        var repetition: Repetition?
    }

    /// The server sends from the beginning again what is written already: it is compared instead of written.
    private struct Repetition {
        var remaining: Int64
        var fingerprint = ContentFingerprint()
    }

    /// A block of content, filled by the network thread and emptied by `queue`.
    // Sendable because it is owned by one side at a time, handed over under the sink's lock.
    private final class Chunk: @unchecked Sendable {
        static let capacity = 256 * 1024
        let base = UnsafeMutableRawPointer.allocate(byteCount: Chunk.capacity, alignment: 16)
        var count = 0
        /// The content of another representation begins with this block.
        var begins: Representation??
        deinit { base.deallocate() }
    }

    private static let highWater = 1 << 20
    private static let lowWater = 1 << 18

    private let queue: DispatchQueue
    /// Confined to `queue`.
    private let writer: any ByteWriter
    private let state = Locked(State())

    /// - Parameter offset: bytes that the writer has already.
    init(writer: any ByteWriter, offset: Int64 = 0, label: String) {
        let canRestart = writer.canRestart
        self.writer = writer
        state.withLock {
            $0.fingerprint = canRestart ? nil : ContentFingerprint()
            $0.bytesAccepted = offset
        }
        queue = DispatchQueue(label: label, autoreleaseFrequency: .workItem)
    }

    var bytesAccepted: Int64 { state.withLock { $0.bytesAccepted } }

    /// While what is written is being compared, nobody knows what the rest would be a continuation of.
    var canContinue: Bool { state.withLock { $0.repetition == nil } }

    func open(_ events: any ResponseSinkEvents) {
        let first = state.withLock { state in
            state.events = events
            defer { state.isOpen = true }
            return !state.isOpen
        }
        guard first else { return }
        queue.async { [self] in
            do { try writer.open() } catch { fail(error) }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        enum Step { case drain, accepted, pause, fail(any Error) }
        let step: Step = state.withLock { state in
            if let failure = state.failure { return .fail(failure) }
            guard !state.isDiscarded else { return .accepted }
            guard state.pendingBytes < Self.highWater else {
                state.isPaused = true
                return .pause
            }
            guard let fresh = Self.withoutRepetition(bytes, in: &state) else {
                let failure = StreamSinkError.contentChanged
                state.failure = failure
                return .fail(failure)
            }
            guard !fresh.isEmpty else { return .accepted }
            state.fingerprint?.update(fresh)
            Self.append(fresh, to: &state)
            guard !state.isDraining else { return .accepted }
            state.isDraining = true
            return .drain
        }
        switch step {
        case .accepted: return .accepted
        case .pause: return .pause
        case .fail(let error):
            return .fail(TransferError(.bodySink, message: "the response's content could not be written", cause: error))
        case .drain:
            queue.async { [self] in drain() }
            return .accepted
        }
    }

    func begin(_ representation: Representation?) {
        state.withLock { state in
            guard state.fingerprint == nil else {
                state.repetition = state.bytesAccepted > 0 ? Repetition(remaining: state.bytesAccepted) : nil
                return
            }
            let chunk = Chunk()
            chunk.begins = .some(representation)
            state.chunks = [chunk]
            state.pendingBytes = 0
            state.bytesAccepted = 0
        }
    }

    func finish(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
        let starts = state.withLock { state in
            if let repetition = state.repetition, repetition.remaining > 0, state.failure == nil {
                state.failure = StreamSinkError.contentChanged
            }
            state.completion = completion
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if starts { queue.async { [self] in drain() } }
    }

    func discard(_ completion: (@Sendable () -> Void)?) {
        let mayBlock = state.withLock { state in
            state.isDiscarded = true
            state.events = nil
            // A file gets all that was received, to be continued from there; a stream of the user's, which may block,
            // gets no more.
            guard state.fingerprint != nil else { return false }
            state.chunks = []
            state.pendingBytes = 0
            return true
        }
        queue.async { [self] in
            writer.abandon()
            if !mayBlock { completion?() }
        }
        if mayBlock { completion?() }
    }

    /// What of `bytes` is new. Nil: what came again is not what is written.
    private static func withoutRepetition(
        _ bytes: UnsafeRawBufferPointer, in state: inout State
    ) -> UnsafeRawBufferPointer? {
        guard var repetition = state.repetition, repetition.remaining > 0 else { return bytes }
        let size = Int(min(Int64(bytes.count), repetition.remaining))
        repetition.fingerprint.update(UnsafeRawBufferPointer(rebasing: bytes.prefix(size)))
        repetition.remaining -= Int64(size)
        state.repetition = repetition.remaining > 0 ? repetition : nil
        if repetition.remaining == 0, repetition.fingerprint.value != state.fingerprint?.value { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes.dropFirst(size))
    }

    private static func append(_ bytes: UnsafeRawBufferPointer, to state: inout State) {
        var rest = bytes[...]
        state.bytesAccepted += Int64(bytes.count)
        state.pendingBytes += bytes.count
        while !rest.isEmpty {
            if state.chunks.last.map({ $0.count == Chunk.capacity }) ?? true {
                state.chunks.append(state.spare ?? Chunk())
                state.spare = nil
            }
            guard let chunk = state.chunks.last else { return }
            let size = min(rest.count, Chunk.capacity - chunk.count)
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(size))
            if let source = piece.baseAddress {
                (chunk.base + chunk.count).copyMemory(from: source, byteCount: size)
            }
            chunk.count += size
            rest = rest.dropFirst(size)
        }
    }

    /// Runs on `queue` until there is nothing left to write.
    private func drain() {
        dispatchPrecondition(condition: .onQueue(queue))
        enum Step {
            case write(Chunk), idle, ended(@Sendable ((any Error)?) -> Void, (any Error)?)
            case discarded(@Sendable ((any Error)?) -> Void)
        }
        while true {
            let step: Step = state.withLock { state in
                if state.failure == nil, !state.chunks.isEmpty {
                    return .write(state.chunks.removeFirst())
                }
                state.isDraining = false
                guard let completion = state.completion else { return .idle }
                state.completion = nil
                state.events = nil
                // What was not written yet has been dropped, so what is written is not the whole.
                guard !state.isDiscarded else { return .discarded(completion) }
                return .ended(completion, state.failure)
            }
            switch step {
            case .idle:
                return
            case .discarded(let completion):
                completion(StreamSinkError.discarded)
                return
            case .ended(let completion, let failure):
                completion(failure ?? commit())
                return
            case .write(let chunk):
                write(chunk)
            }
        }
    }

    private func write(_ chunk: Chunk) {
        do {
            if let representation = chunk.begins { try writer.begin(representation) }
            if chunk.count > 0 {
                try writer.write(UnsafeRawBufferPointer(start: chunk.base, count: chunk.count))
            }
        } catch {
            fail(error)
            return
        }
        let events = state.withLock { state -> (any ResponseSinkEvents)? in
            state.pendingBytes = max(0, state.pendingBytes - chunk.count)
            chunk.count = 0
            chunk.begins = nil
            state.spare = chunk
            guard state.isPaused, state.pendingBytes <= Self.lowWater else { return nil }
            state.isPaused = false
            return state.events
        }
        events?.sinkHasSpace()
    }

    private func commit() -> (any Error)? {
        do {
            try writer.commit()
            return nil
        } catch {
            writer.abandon()
            return error
        }
    }

    private func fail(_ error: any Error) {
        let events = state.withLock { state -> (any ResponseSinkEvents)? in
            guard state.failure == nil else { return nil }
            state.failure = error
            state.chunks = []
            state.pendingBytes = 0
            return state.events
        }
        events?.sinkFailed(error)
    }
}
