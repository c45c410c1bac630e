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
        var buffer: ContentBuffer
        /// As of what was written last.
        var bytesDecoded: Int64 = 0
        var isDraining = false
        /// True if what was taken goes to the writer when the network thread rests.
        var isFlushDue = false
        var isOpen = false
        /// The queue is opening the writer.
        var isOpening = false
        /// Called when that is done.
        var afterOpening: (@Sendable () -> Void)?
        var isDiscarded = false
        var failure: (any Error)?
        var completion: (@Sendable ((any Error)?) -> Void)?
        /// Strong; cleared when the sink ends, to break the cycle.
        var events: (any ResponseSinkEvents)?
    }

    private let queue: DispatchQueue
    private let runtime: any OperationRuntime
    /// Confined to `queue`.
    private let output: SinkOutput
    let canRestart: Bool
    private let state: Locked<State>

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
        state = Locked(State(buffer: ContentBuffer(.writer, offset: offset)))
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

    var bytesAccepted: Int64 { state.withLock { $0.buffer.bytesAccepted } }
    var bytesDecoded: Int64 { state.withLock { $0.bytesDecoded } }
    var isUntouched: Bool { state.withLock { !$0.buffer.isTouched } }

    var canContinue: Bool { state.withLock { $0.buffer.canContinue } }

    func open(_ events: any ResponseSinkEvents) {
        let first = state.withLock { state in
            state.events = events
            defer { state.isOpen = true }
            return !state.isOpen
        }
        guard first else { return }
        runtime.on(queue) { [self] in
            let isWanted = state.withLock { state in
                // A stream that is not wanted any more is not opened: the caller may have removed its file by now.
                state.isOpening = canRestart || !state.isDiscarded
                return state.isOpening
            }
            guard isWanted else { return }
            do { try output.writer.open() } catch { fail(error) }
            let waiting = state.withLock { state in
                state.isOpening = false
                return state.afterOpening.take()
            }
            waiting?()
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        enum Step { case drain, flushLater, accepted, pause, fail(any Error) }
        let step: Step = state.withLock { state in
            if let failure = state.failure { return .fail(failure) }
            guard !state.isDiscarded else { return .accepted }
            switch state.buffer.write(bytes) {
            case .fail(let error): return .fail(error)
            case .pause: return .pause
            case .accepted: break
            }
            guard !state.isDraining else { return .accepted }
            // The writer is woken for an item, or for what there is when no more comes: not for each piece of it.
            guard state.buffer.pendingBytes < state.buffer.end.itemSize else {
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
            guard !state.isDraining, state.failure == nil, !state.buffer.isEmpty else { return false }
            state.isDraining = true
            return true
        }
        if starts { runtime.on(queue) { [self] in drain() } }
    }

    func begin(_ representation: Representation?, as form: ContentForm) {
        state.withLock { state in
            // What another response brings may decode; a file that could not be opened or written stays so.
            if canRestart, Self.isOfContent(state.failure) { state.failure = nil }
            state.buffer.begin(representation, as: form, isKept: !canRestart)
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

    /// Seconds for which a stream that is being opened is waited for: that may take as long as it likes, as that of a
    /// pipe does that has no reader.
    private static let openingTime: TimeInterval = 1

    func discard(_ completion: (@Sendable () -> Void)?) {
        let mayBlock = !canRestart
        let pending = Locked(completion)
        let complete: @Sendable () -> Void = { pending.withLock { $0.take() }?() }
        let (drains, isOpening) = state.withLock { state in
            state.isDiscarded = true
            state.events = nil
            // Otherwise the caller could remove a file that does not exist yet.
            let isOpening = mayBlock && state.isOpening && completion != nil
            if isOpening { state.afterOpening = complete }
            return (takeDraining(&state), isOpening)
        }
        runtime.on(queue) { [self] in
            if drains { drain() }
            output.writer.abandon()
            if !mayBlock { complete() }
        }
        if isOpening {
            runtime.after(Self.openingTime, complete)
        } else if mayBlock {
            complete()
        }
    }

    /// Returns true if what was received is to be written before the writer is released.
    private func takeDraining(_ state: inout State) -> Bool {
        // A file gets all that was received, to be continued from there; but not what cannot be continued. A stream of
        // the user's, which may block, gets no more.
        guard !canRestart || state.buffer.isCoded else {
            defer { state.isDraining = true }
            return !state.isDraining
        }
        state.buffer.drop()
        return false
    }

    /// Runs on `queue` until there is nothing left to write.
    private func drain() {
        runtime.assertOn(queue)
        enum Step {
            case take(ContentBuffer.Item, of: UInt), idle, ended(@Sendable ((any Error)?) -> Void, (any Error)?)
            case discarded(@Sendable ((any Error)?) -> Void)
        }
        while true {
            let step: Step = state.withLock { state in
                if state.failure == nil, let item = state.buffer.next() {
                    return .take(item, of: state.buffer.response)
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
            case .take(.beginning(let representation, let form), let response):
                begin(output: representation, form, of: response)
            case .take(.content(let data), let response):
                write(data, of: response)
            }
        }
    }

    private func begin(output representation: Representation?, _ form: ContentForm, of response: UInt) {
        do {
            try output.begin(representation, as: form)
            noteRepetition()
        } catch {
            fail(error, of: response)
        }
    }

    private func write(_ data: Data, of response: UInt) {
        do {
            try data.withUnsafeBytes {
                try output.write($0) { state.withLock { $0.isDiscarded && $0.buffer.isCoded } }
            }
            noteRepetition()
        } catch {
            fail(error, of: response)
            return
        }
        let total = output.total
        let events = state.withLock { state in
            state.bytesDecoded = total
            return state.buffer.release() ? state.events : nil
        }
        events?.sinkHasSpace()
    }

    /// Tells the network thread when all that is written has come again.
    private func noteRepetition() {
        guard !canRestart, !output.isRepeating else { return }
        state.withLock { $0.buffer.didRepeat() }
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

    /// - Parameter response: the number of the response that the content belongs to; nil: it belongs to none.
    private func fail(_ error: any Error, of response: UInt? = nil) {
        let events = state.withLock { state -> (any ResponseSinkEvents)? in
            guard state.failure == nil else { return nil }
            // The content of another response has begun, and this one is not wanted any more.
            if canRestart, Self.isOfContent(error), let response, response != state.buffer.response { return nil }
            state.failure = error
            state.buffer.drop()
            return state.events
        }
        events?.sinkFailed(error)
    }

    /// Returns true if the failure is the content's, and not the writer's.
    private static func isOfContent(_ error: (any Error)?) -> Bool {
        (error as? TransferError)?.kind == .cannotDecodeContent
    }
}
