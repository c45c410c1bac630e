// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingSupport
internal import NetworkingTransport

/// Hands content to a writer that may block, through a bounded buffer and a queue: a slow writer pauses its own
/// transfer, and others that have the same queue at most. Coded content waits coded, and is decoded on that queue.
// Sendable because `state` is behind a lock and `output` is used on `queue` only.
final class BufferedSink: ResponseSink, @unchecked Sendable {
    private struct State {
        /// The items that were not yet handed to the writer, oldest first.
        var items: [Item] = []
        var pendingBytes = 0
        var bytesAccepted: Int64 = 0
        /// As of what was written last.
        var bytesDecoded: Int64 = 0
        /// Content of any response was taken.
        var isTouched = false
        /// The present content is coded.
        var isCoded = false
        /// The number of responses whose content has begun to come.
        var beginnings = 0
        /// Bytes that may wait in place of a pause; nil: it may pause.
        var limit: Int?
        /// The writer cannot go back, and compares what comes with what it has.
        var isRepeating = false
        var isDraining = false
        /// True if what was taken goes to the writer when the network thread rests.
        var isFlushDue = false
        var isPaused = false
        var isOpen = false
        var isDiscarded = false
        var failure: (any Error)?
        var completion: (@Sendable ((any Error)?) -> Void)?
        /// Strong; cleared when the sink ends, to break the cycle.
        var events: (any ResponseSinkEvents)?
        var spare: Chunk?
    }

    private enum Item {
        case content(Chunk)
        /// The content of another response begins.
        case beginning(Representation?, ContentForm)
    }

    /// A block of content, filled by the network thread and emptied by `queue`.
    // Sendable because it is owned by one side at a time, handed over under the sink's lock.
    private final class Chunk: @unchecked Sendable {
        static let capacity = 256 * 1024
        let base = UnsafeMutableRawPointer.allocate(byteCount: Chunk.capacity, alignment: 16)
        var count = 0
        deinit { base.deallocate() }
    }

    private static let highWater = 1 << 20
    private static let lowWater = 1 << 18

    private let queue: DispatchQueue
    private let runtime: any OperationRuntime
    /// Confined to `queue`.
    private let output: SinkOutput
    let canRestart: Bool
    private let state = Locked(State())

    /// - Parameters:
    ///   - offset: bytes that the writer has already.
    ///   - limit: bytes of decoded content that are taken, those included; nil: any number.
    ///   - queue: a serial one, on which the writer is used; its own, where the writer may wait for anything.
    ///   - runtime: what the queue is one of.
    init(
        writer: any ByteWriter, offset: Int64 = 0, limit: Int64? = nil, queue: DispatchQueue,
        on runtime: any OperationRuntime
    ) {
        canRestart = writer.canRestart
        output = SinkOutput(writer, offset: offset, limit: limit)
        state.withLock {
            $0.bytesAccepted = offset
            $0.isTouched = offset > 0
        }
        self.queue = queue
        self.runtime = runtime
    }

    /// A queue for a writer to files: one of a few for all of them, since each takes a thread while it is used, and a
    /// disk gets no faster by hundreds.
    static var nextFileQueue: DispatchQueue {
        let turn = fileTurn.withLock { turn in
            turn = (turn + 1) % fileQueues.count
            return turn
        }
        return fileQueues[turn]
    }

    private static let fileTurn = Locked(0)
    private static let fileQueues = (1...8).map {
        DispatchQueue(label: "OperationNetworking.files.\($0)", autoreleaseFrequency: .workItem)
    }

    var bytesAccepted: Int64 { state.withLock { $0.bytesAccepted } }
    var bytesDecoded: Int64 { state.withLock { $0.bytesDecoded } }
    var isUntouched: Bool { state.withLock { !$0.isTouched } }

    /// False for coded content, and while content is compared with what is written: no rest can be asked for then.
    var canContinue: Bool { state.withLock { !$0.isRepeating && !$0.isCoded } }

    func open(_ events: any ResponseSinkEvents) {
        let first = state.withLock { state in
            state.events = events
            defer { state.isOpen = true }
            return !state.isOpen
        }
        guard first else { return }
        runtime.on(queue) { [self] in
            do { try output.writer.open() } catch { fail(error) }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        enum Step { case drain, flushLater, accepted, pause, fail(any Error) }
        let step: Step = state.withLock { state in
            if let failure = state.failure { return .fail(failure) }
            guard !state.isDiscarded, !bytes.isEmpty else { return .accepted }
            if let limit = state.limit {
                guard bytes.count <= limit - state.pendingBytes else { return .fail(Self.tooSlow(limit)) }
            } else if state.pendingBytes >= Self.highWater {
                state.isPaused = true
                return .pause
            }
            Self.append(bytes, to: &state)
            guard !state.isDraining else { return .accepted }
            // The writer is woken for a chunk, or for what there is when no more comes: not for each piece of it.
            guard state.pendingBytes < Chunk.capacity else {
                state.isDraining = true
                return .drain
            }
            guard !state.isFlushDue else { return .accepted }
            state.isFlushDue = true
            return .flushLater
        }
        switch step {
        case .accepted: return .accepted
        case .pause: return .pause
        case .fail(let error): return .fail(TransferError(sink: error))
        case .drain:
            runtime.on(queue) { [self] in drain() }
            return .accepted
        case .flushLater:
            runtime.atNetworkRest { [self] in flush() }
            return .accepted
        }
    }

    private func flush() {
        let starts = state.withLock { state in
            state.isFlushDue = false
            guard !state.isDraining, state.failure == nil, !state.items.isEmpty else { return false }
            state.isDraining = true
            return true
        }
        if starts { runtime.on(queue) { [self] in drain() } }
    }

    private static func tooSlow(_ limit: Int) -> TransferError {
        TransferError(
            .tooLarge,
            message: "the content was decoded faster than it could be written, beyond the limit of \(limit) bytes in "
                + "memory; set the output stream before the operation begins")
    }

    func begin(_ representation: Representation?, as form: ContentForm) {
        state.withLock { state in
            if canRestart {
                // What another response brings may decode; a file that could not be opened or written stays so.
                if Self.isOfContent(state.failure) { state.failure = nil }
                state.items = []
                state.pendingBytes = 0
            } else {
                state.isRepeating = state.isTouched
            }
            state.items.append(.beginning(representation, form))
            state.beginnings &+= 1
            state.bytesAccepted = 0
            state.isCoded = form.isCoded
            state.limit = if case .decoded(let limit) = form { limit } else { nil }
        }
    }

    func finish(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
        let starts = state.withLock { state in
            state.completion = completion
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if starts { runtime.on(queue) { [self] in drain() } }
    }

    func discard(_ completion: (@Sendable () -> Void)?) {
        let mayBlock = !canRestart
        let drains = state.withLock { state in
            state.isDiscarded = true
            state.events = nil
            // A file gets all that was received, to be continued from there; but not what cannot be continued. A stream
            // of the user's, which may block, gets no more.
            guard mayBlock || state.isCoded else {
                defer { state.isDraining = true }
                return !state.isDraining
            }
            state.items = []
            state.pendingBytes = 0
            return false
        }
        runtime.on(queue) { [self] in
            if drains { drain() }
            output.writer.abandon()
            if !mayBlock { completion?() }
        }
        if mayBlock { completion?() }
    }

    private static func append(_ bytes: UnsafeRawBufferPointer, to state: inout State) {
        var rest = bytes[...]
        state.isTouched = true
        state.bytesAccepted &+= Int64(bytes.count)
        state.pendingBytes += bytes.count
        while !rest.isEmpty {
            let chunk = lastChunk(of: &state)
            let size = min(rest.count, Chunk.capacity - chunk.count)
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(size))
            if let source = piece.baseAddress {
                (chunk.base + chunk.count).copyMemory(from: source, byteCount: size)
            }
            chunk.count += size
            rest = rest.dropFirst(size)
        }
    }

    /// A chunk with space at the end of the list.
    private static func lastChunk(of state: inout State) -> Chunk {
        if case .content(let chunk) = state.items.last, chunk.count < Chunk.capacity { return chunk }
        let chunk = state.spare ?? Chunk()
        state.spare = nil
        state.items.append(.content(chunk))
        return chunk
    }

    /// Runs on `queue` until there is nothing left to write.
    private func drain() {
        runtime.assertOn(queue)
        enum Step {
            case take(Item, of: Int), idle, ended(@Sendable ((any Error)?) -> Void, (any Error)?)
            case discarded(@Sendable ((any Error)?) -> Void)
        }
        while true {
            let step: Step = state.withLock { state in
                if state.failure == nil, !state.items.isEmpty {
                    return .take(state.items.removeFirst(), of: state.beginnings)
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
            case .take(.beginning(let representation, let form), let beginning):
                begin(output: representation, form, of: beginning)
            case .take(.content(let chunk), let beginning):
                write(chunk, of: beginning)
            }
        }
    }

    private func begin(output representation: Representation?, _ form: ContentForm, of beginning: Int) {
        do {
            try output.begin(representation, as: form)
            noteRepetition()
        } catch {
            fail(error, of: beginning)
        }
    }

    private func write(_ chunk: Chunk, of beginning: Int) {
        do {
            try output.write(UnsafeRawBufferPointer(start: chunk.base, count: chunk.count)) {
                state.withLock { $0.isDiscarded && $0.isCoded }
            }
            noteRepetition()
        } catch {
            fail(error, of: beginning)
            return
        }
        let total = output.total
        let events = state.withLock { state -> (any ResponseSinkEvents)? in
            state.bytesDecoded = total
            state.pendingBytes = max(0, state.pendingBytes - chunk.count)
            chunk.count = 0
            state.spare = chunk
            guard state.isPaused, state.pendingBytes <= Self.lowWater else { return nil }
            state.isPaused = false
            return state.events
        }
        events?.sinkHasSpace()
    }

    /// Tells the network thread when all that is written has come again. Not while more content is to begin, which
    /// would be compared anew.
    private func noteRepetition() {
        guard !canRestart, !output.isRepeating else { return }
        state.withLock { state in
            let isLast = !state.items.contains { if case .beginning = $0 { true } else { false } }
            if isLast { state.isRepeating = false }
        }
    }

    private func commit() -> (any Error)? {
        do {
            try output.commit()
            return nil
        } catch {
            output.writer.abandon()
            return error
        }
    }

    /// - Parameter beginning: the number of the response that the content belongs to; nil: it belongs to none.
    private func fail(_ error: any Error, of beginning: Int? = nil) {
        let events = state.withLock { state -> (any ResponseSinkEvents)? in
            guard state.failure == nil else { return nil }
            // The content of another response has begun, and this one is not wanted any more.
            if canRestart, Self.isOfContent(error), let beginning, beginning != state.beginnings { return nil }
            state.failure = error
            state.items = []
            state.pendingBytes = 0
            return state.events
        }
        events?.sinkFailed(error)
    }

    /// Returns true if the failure is the content's, and not the writer's.
    private static func isOfContent(_ error: (any Error)?) -> Bool {
        (error as? TransferError)?.kind == .cannotDecodeContent
    }
}
