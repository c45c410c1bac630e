// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport
internal import NetworkingTransport

/// The sink of a response that a task reads while it comes: does what `StreamMachine` says. A slow reader pauses its
/// own transfer, and blocks no thread.
// Sendable because `state` is behind a lock, `refused` belongs to the network thread, and `intake` to the one reader.
package final class ResponseStream: ResponseSink, @unchecked Sendable {
    private struct State {
        var machine = StreamMachine()
        /// Runs when there is something to read; nil: no reader waits.
        var waiter: (@Sendable () -> Void)?
        /// True if the waiting reader is woken when the network thread rests.
        var isWakeDue = false
        /// The block that ends the attempt once the content has got where it belongs.
        var completion: (@Sendable ((any Error)?) -> Void)?
        /// Strong; cleared when the sink ends, to break the cycle.
        var events: (any ResponseSinkEvents)?
        /// The number of decoded bytes, known when everything was read.
        var bytesDecoded: Int64 = 0
        /// Bytes of decoded content; nil: any number.
        var limit: Int64?
        /// Content of the operation came this way.
        var isOpen = false
        /// The reason that nothing can be read on, from this attempt or a later one.
        var failure: (any Error)?

        /// Returns the block to call because all content has got where it belongs without a reader.
        mutating func takeCompletion() -> (@Sendable ((any Error)?) -> Void)? {
            guard machine.needsNoReader, let completion = completion.take() else { return nil }
            events = nil
            return completion
        }
    }

    /// Bytes of a refused response that are kept for its error.
    static let refusedLimit = 1 << 20

    private let state = Locked(State())
    /// The content of a response that was refused. Network thread.
    private var refused: MemorySink?
    /// The reader's end of the stream. Used by the reader only.
    private let intake = StreamIntake()

    /// True if content comes this way, and not somewhere else.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// True if it still holds what holds its operation, which it must not after the end.
    var holdsAttempt: Bool { state.withLock { $0.events != nil || $0.completion != nil } }

    /// Makes a change, and wakes the reader if there is something for it.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, waiter) = state.withLock { state -> (Result, (@Sendable () -> Void)?) in
            let result = body(&state)
            return (result, state.machine.isReadable ? state.waiter.take() : nil)
        }
        waiter?()
        return result
    }

    // MARK: The network thread's side

    var bytesDecoded: Int64 { state.withLock { $0.bytesDecoded } }
    var bytesAccepted: Int64 { state.withLock { $0.machine.bytesAccepted } }
    var isUntouched: Bool { state.withLock { !$0.machine.isTouched } }
    package var canRestart: Bool { state.withLock { $0.machine.canRestart } }
    var canContinue: Bool { state.withLock { $0.machine.canContinue } }

    func setLimit(_ limit: Int64?) { state.withLock { $0.limit = limit } }

    func open(_ events: any ResponseSinkEvents) {
        state.withLock {
            $0.events = events
            $0.isOpen = true
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        enum Wake { case nobody, now(@Sendable () -> Void), later(any ResponseSinkEvents) }
        let (acceptance, wake) = state.withLock { state -> (StreamMachine.Acceptance, Wake) in
            if let failure = state.failure { return (.fail(TransferError(sink: failure)), .nobody) }
            let acceptance = state.machine.write(bytes)
            guard state.machine.isReadable, let waiter = state.waiter else { return (acceptance, .nobody) }
            // The reader is woken for much, or for what there is when no more comes: not for each piece of it.
            guard !state.machine.isPlenty, let events = state.events else {
                state.waiter = nil
                return (acceptance, .now(waiter))
            }
            guard !state.isWakeDue else { return (acceptance, .nobody) }
            state.isWakeDue = true
            return (acceptance, .later(events))
        }
        switch wake {
        case .nobody: break
        case .now(let waiter): waiter()
        case .later(let events): events.atRest { [self] in change { $0.isWakeDue = false } }
        }
        return switch acceptance {
        case .accepted: .accepted
        case .pause: .pause
        case .divert: refused?.write(bytes) ?? .accepted
        case .fail(let error): .fail(error)
        }
    }

    func begin(_ representation: Representation?, as form: ContentForm) {
        refused = nil
        state.withLock { $0.machine.begin(form) }
    }

    /// Goes on with what was collected in memory.
    func takeOver(_ memory: MemorySink, _ form: ContentForm) {
        let accepted = memory.bytesAccepted
        let content = memory.takeData()
        state.withLock { $0.machine.takeOver(content, accepted: accepted, form) }
    }

    /// The number of the present response, for `decide`; nil: its verdict is known.
    var undecidedResponse: UInt? {
        state.withLock { $0.machine.isUndecided ? $0.machine.response : nil }
    }

    /// A response is one that the operation's serializer accepts, or is not: then its content goes into the error.
    func decide(isAcceptable: Bool, on response: UInt) {
        guard isAcceptable else { return refuse(response) }
        let completion = change { state in
            state.machine.admit(response)
            return state.takeCompletion()
        }
        completion?(nil)
    }

    private func refuse(_ response: UInt) {
        guard let (content, form, wasPaused) = change({ $0.machine.refuse(response) }) else { return }
        let memory = MemorySink(limit: Self.refusedLimit, truncates: true)
        memory.begin(nil, as: form)
        refused = memory
        for data in content {
            // A failure comes again with what follows, or with the end.
            guard case .accepted = data.withUnsafeBytes({ memory.write($0) }) else { break }
        }
        let (events, completion) = state.withLock { state in
            (wasPaused ? state.events : nil, state.takeCompletion())
        }
        events?.sinkHasSpace()
        completion?(nil)
    }

    /// Gives away the content of a response that was refused; nil: it was not. Network thread.
    func takeRefused() -> Data? {
        defer { refused = nil }
        return refused?.takeData()
    }

    func finish(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
        let (done, failure) = change { state -> ((@Sendable ((any Error)?) -> Void)?, (any Error)?) in
            if let failure = state.failure {
                state.events = nil
                return (completion, failure)
            }
            state.machine.complete()
            state.completion = completion
            return (state.takeCompletion(), nil)
        }
        done?(failure)
    }

    func discard(_ completion: (@Sendable () -> Void)?) {
        change { state in
            state.machine.discard()
            state.events = nil
            state.completion = nil
        }
        completion?()
    }

    /// The operation is about to fail: what has come can be read once the response is admitted.
    func keepUndecided() { state.withLock { $0.machine.keepUndecided() } }

    /// Drops what has come, where nothing of it was read. False: some of it was.
    package func forgetUnread() -> Bool { state.withLock { $0.machine.forgetUnread() } }

    /// The response will not be admitted any more.
    package func giveUpUndecided() { change { $0.machine.giveUpUndecided() } }

    package var awaitsVerdict: Bool { state.withLock { $0.machine.verdict == .awaited } }

    /// The operation has ended.
    func end() { change { $0.machine.end() } }

    // MARK: The reader's side

    func addReader() { state.withLock { $0.machine.addReader() } }

    func removeReader() {
        let (events, completion) = state.withLock { state in
            let resumes = state.machine.removeReader()
            return (resumes ? state.events : nil, state.takeCompletion())
        }
        events?.sinkHasSpace()
        completion?(nil)
    }

    /// False: the content was, or is, read by another reader.
    func claim() -> Bool { state.withLock { $0.machine.claim() } }

    /// The result of reading.
    package enum Reading: Sendable {
        case content(Data)
        case wait
        /// The operation has ended, and everything was read.
        case end
    }

    /// Returns what is there to be read. For the reader that has the claim.
    package func read() -> Reading {
        while true {
            do {
                if let data = try intake.next() { return .content(data) }
                let (reading, events) = state.withLock { state in
                    let reading = state.machine.read()
                    if case .item(_, true) = reading { return (reading, state.events) }
                    return (reading, nil)
                }
                events?.sinkHasSpace()
                switch reading {
                case .wait: return .wait
                case .end: return .end
                case .commit: commit()
                case .item(.beginning(_, let form), _): try intake.begin(form, limit: state.withLock { $0.limit })
                case .item(.content(let data), _): intake.add(data)
                }
                if intake.hasJustRepeated { state.withLock { $0.machine.didRepeat() } }
            } catch {
                fail(error)
            }
        }
    }

    /// Calls `resume` once when there is something to read. False, and no call: there is already.
    package func wait(_ resume: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard !state.machine.isReadable else { return false }
            state.waiter = resume
            return true
        }
    }

    private func commit() {
        var failure: (any Error)?
        do { try intake.commit() } catch { failure = error }
        let total = intake.total
        let completion = state.withLock { state in
            state.events = nil
            state.bytesDecoded = total
            return state.completion.take()
        }
        completion?(failure)
    }

    /// Fails the operation, because the content cannot be read on.
    private func fail(_ error: any Error) {
        let events = state.withLock { state in
            state.machine.fail()
            state.failure = error
            state.completion = nil
            return state.events.take()
        }
        events?.sinkFailed(error)
    }
}
