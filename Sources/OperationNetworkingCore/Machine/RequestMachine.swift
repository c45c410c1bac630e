// SPDX-License-Identifier: MIT

/// The life of a request's operation as a pure value: inputs in, actions out.
///
/// The owner calls an input with its lock held, releases the lock, and then does what the answer says. An input that
/// arrives late (the end of an attempt that was paused, a second start) is answered with `none` or `stale`.
///
/// One table is for the phases before the end of an attempt, the other for those after it. An input without a row has
/// no effect in the phases of that table.
///
/// | input         | ready                   | paused                | preparing  | running    | received   |
/// |---------------|-------------------------|-----------------------|------------|------------|------------|
/// | start         | begins, waits, or ends  | wanted                | –          | –          | –          |
/// | pause         | paused                  | –                     | paused     | paused (1) | noted      |
/// | resume        | –                       | ready                 | –          | –          | – (3)      |
/// | cancel        | marked (2)              | ready (2)             | stops      | stops      | stops      |
/// | dependencies  | begins if it was wanted | –                     | –          | –          | –          |
/// | prepared      | –                       | –                     | running    | –          | –          |
/// | content here  | stale                   | stale (1)             | –          | received   | –          |
/// | attempt over  | stale                   | stale (1)             | concluding | concluding | concluding |
/// | back-off over | begins with the start   | begins with the start | –          | –          | –          |
/// | discard part  | – (6)                   | – (6)                 | – (6)      | – (6)      | – (6)      |
///
/// | input         | concluding     | judging     | waiting     | concluded, finished |
/// |---------------|----------------|-------------|-------------|---------------------|
/// | start         | –              | –           | begins (4)  | –                   |
/// | pause         | noted (3)      | noted (3)   | paused      | –                   |
/// | resume        | – (3)          | – (3)       | –           | –                   |
/// | cancel        | marked         | concluding  | concluding  | –                   |
/// | content here  | –              | stale       | stale       | stale               |
/// | attempt over  | stale          | stale       | stale       | stale               |
/// | consult       | judging (5)    | –           | –           | –                   |
/// | retry         | waiting (3, 5) | waiting (3) | –           | –                   |
/// | decline       | –              | concluding  | –           | –                   |
/// | back-off over | –              | –           | to be begun | –                   |
/// | expire        | –              | concluding  | concluding  | –                   |
/// | settled       | concluded (7)  | –           | –           | –                   |
/// | finish        | –              | –           | –           | finished, once      |
/// | discard part  | – (6)          | – (6)       | – (6)       | at once             |
///
/// 1. An attempt that is not to be repeated (`AttemptRepetition.never`) is held in its place: it stays the present one,
///    and what happens to it is looked at after the resume.
/// 2. Ends by `start()`, which the operation's owner calls; it is called again when it had been called before.
/// 3. Too late to pause, unless another attempt is to be made: then the operation is paused instead of waiting for it.
///    A resume takes the wish back.
/// 4. Once the back-off is over; before that the call has no effect.
/// 5. Not of a cancelled operation, which goes on to its end.
/// 6. Noted for the end if the operation is cancelled: one that is not writes to the part, or may be started.
/// 7. Once the part has been removed, if that was noted.
struct RequestMachine: Equatable {
    private(set) var phase = Phase.ready
    private(set) var owner = Owner.nobody
    private(set) var preparation = Preparation.none
    private(set) var isCancelled = false
    /// `start()` was called and nothing could begin then: it begins when it can.
    private(set) var isStartWanted = false
    /// Came paused from an archive: it had been started in its earlier life, so `resume()` starts it.
    private(set) var wasRestored = false
    /// The operation ends, or ended, without an attempt under way.
    private(set) var endsFromReady = false
    /// A paused attempt stands by to go on.
    private(set) var holdsAttempt = false
    /// The time before the next attempt is not over: nothing begins.
    private(set) var isBackingOff = false
    /// A pause came while the attempt's end was looked at: counts if there is to be another attempt.
    private(set) var isPauseWanted = false
    /// The part of a download is to be removed when nothing is written any more.
    private var discardsPart = false
    /// The operation's end has been claimed: no other attempt follows.
    private var isDecided = false
    /// The attempt follows a failed one, with no pause between them: the operation has been executing all the time.
    private(set) var isRetry = false
    /// An attempt got beyond its preparations.
    private var hasLaunched = false
    /// Distinguishes the attempts of one operation, so that a late event of an earlier one is not taken for the present
    /// one's; 0: none has begun.
    private(set) var attempt: UInt = 0

    /// The state, in AFNetworking's terms.
    var state: OperationState {
        switch phase {
        case .ready: .ready
        case .paused: .paused
        case .preparing, .running, .received, .judging, .waiting: .executing
        case .concluding, .concluded: endsFromReady ? .ready : .executing
        case .finished: .finished
        }
    }

    /// True if the operation is about to end without an attempt under way.
    var isEndingFromReady: Bool { endsFromReady && (phase == .concluding || phase == .concluded) }

    /// True if the result stands: what comes now is the delivery, or nothing.
    var hasResult: Bool { phase == .concluded || phase == .finished }

    /// True if an attempt has begun: dependencies that are added from then on do not count.
    var hasBegun: Bool { attempt > 0 }

    /// True if the operation was handed to a queue, started, or asked to start.
    var isClaimed: Bool { owner != .nobody }

    /// True while the request, or what comes before it, is under way.
    var isUnderWay: Bool { phase == .preparing || phase == .running }

    /// True if the operation has use for a slot: it is neither paused, nor waiting for something outside the transport.
    var wantsSlot: Bool { phase != .paused && phase != .judging && !(phase == .waiting && isBackingOff) }

    // MARK: Ownership

    /// A `RequestOperationQueue` takes the operation in. False: it has another owner, or is under way, or over.
    mutating func join() -> Bool {
        guard owner == .nobody || owner == .caller, phase == .ready || phase == .paused, !hasBegun else { return false }
        owner = .joiningQueue
        isStartWanted = false
        return true
    }

    /// The queue has taken the operation in.
    mutating func didJoin() {
        if owner == .joiningQueue { owner = .requestQueue }
    }

    /// A Foundation queue turned out to have the operation.
    mutating func noteFoundationQueue() {
        if owner == .nobody { owner = .foundationQueue }
    }

    // MARK: Start

    /// - Parameters:
    ///   - dependenciesAreMet: no upstream is still running.
    ///   - needsPreparation: blocks come before the request.
    ///   - caller: the one that calls now, whether it is the owner or not.
    mutating func start(dependenciesAreMet: Bool, needsPreparation: Bool, by caller: Owner = .caller) -> StartAction {
        if owner == .nobody { owner = caller }
        guard phase == .ready || phase == .paused || phase == .waiting else { return .none }
        if owner == .joiningQueue {
            // The queue looks at the operation as soon as it has taken it in.
            return .none
        }
        if phase == .waiting, isBackingOff { return .none }
        guard phase != .paused else {
            isStartWanted = true
            return .wait
        }
        if isCancelled {
            phase = .concluding
            endsFromReady = true
            return .end
        }
        // A Foundation queue has decided before the dependency came. It would give the slot back only at the end,
        // which the upstream may need to get there.
        guard dependenciesAreMet || hasBegun || caller == .foundationQueue else {
            isStartWanted = true
            return .wait
        }
        isStartWanted = false
        if holdsAttempt {
            holdsAttempt = false
            phase = .running
            return .proceed(attempt)
        }
        if isBackingOff {
            phase = .waiting
            return .backOff
        }
        isRetry = phase == .waiting
        attempt &+= 1
        switch preparation {
        case .none where needsPreparation:
            preparation = .running
            phase = .preparing
            return .prepare
        case .running:
            // The thread that runs the blocks goes on with this attempt.
            phase = .preparing
            return .none
        case .none, .done:
            preparation = .none
            phase = .running
            return .launch(attempt)
        }
    }

    /// The last upstream ended. True: `start()` is to be called, because it was before.
    func dependenciesWereMet() -> Bool {
        phase == .ready && isStartWanted && owner != .requestQueue && owner != .joiningQueue
    }

    /// The blocks that come before the request have run. The attempt to begin; nil: none for now.
    mutating func didPrepare() -> UInt? {
        guard phase == .preparing else {
            preparation = .done
            return nil
        }
        preparation = .none
        phase = .running
        return attempt
    }

    // MARK: Pause, resume, cancel

    mutating func pause(_ repetition: AttemptRepetition) -> PauseAction {
        guard !isCancelled else { return .none }
        switch phase {
        case .ready, .waiting:
            phase = .paused
            return .paused
        case .preparing:
            phase = .paused
            return .stop
        case .running:
            phase = .paused
            guard repetition == .never else { return .stop }
            holdsAttempt = true
            return .hold
        case .received, .concluding, .judging:
            isPauseWanted = true
            return .noted
        case .paused, .concluded, .finished:
            return .none
        }
    }

    mutating func resume() -> ResumeAction {
        isPauseWanted = false
        guard phase == .paused else { return .none }
        phase = .ready
        return .ready(restart: isStartWanted || hasBegun || wasRestored)
    }

    mutating func cancel() -> CancelAction {
        guard !isCancelled, phase != .concluded, phase != .finished else { return .none }
        isCancelled = true
        switch phase {
        case .ready, .paused:
            phase = .ready
            isBackingOff = false
            return .marked(restart: isStartWanted || hasBegun)
        case .judging, .waiting:
            phase = .concluding
            isDecided = true
            isBackingOff = false
            return .end
        case .preparing, .running, .received:
            return .stop
        case .concluding, .concluded, .finished:
            return .marked(restart: false)
        }
    }

    // MARK: The attempt

    /// Returns the standing of an attempt: `present` for the one that counts.
    func standing(of attempt: UInt) -> Standing {
        guard attempt == self.attempt else { return .stale }
        switch phase {
        case .preparing, .running, .received: return .present
        case .ready, .paused: return holdsAttempt ? .held : .stale
        case .concluding, .judging, .waiting, .concluded, .finished: return .stale
        }
    }

    /// All content of an attempt is here. Anything but `present`: it is not to be written out now.
    mutating func didReceiveContent(_ attempt: UInt) -> Standing {
        let standing = standing(of: attempt)
        if standing == .present { phase = .received }
        return standing
    }

    /// Claims the end of an attempt. `present` once for each operation: the caller that gets it settles the result.
    mutating func endAttempt(_ attempt: UInt) -> Standing {
        let standing = standing(of: attempt)
        if standing == .present { phase = .concluding }
        return standing
    }

    /// A held attempt turned out never to have been sent: the next start makes another.
    mutating func abandonHold(of attempt: UInt) {
        if attempt == self.attempt { holdsAttempt = false }
    }

    /// The attempt is about to be made. True for the first that is: one that was paused in its preparations was not.
    mutating func launch() -> Bool {
        defer { hasLaunched = true }
        return !hasLaunched
    }

    // MARK: Another attempt

    /// An attempt that ended failed: interceptors are to be asked about it. False: the operation was cancelled, and
    /// ends.
    mutating func consult() -> Bool {
        guard phase == .concluding, !isCancelled, !isDecided else { return false }
        phase = .judging
        return true
    }

    /// Another attempt is to follow the one with this number, which ended.
    ///
    /// - Parameter backsOff: after some time.
    mutating func retry(after attempt: UInt, backsOff: Bool) -> RetryAction {
        guard attempt == self.attempt, !isDecided, phase == .concluding || phase == .judging else { return .stale }
        guard !isCancelled else { return phase == .concluding ? .refused : .stale }
        isBackingOff = backsOff
        preparation = .none
        if isPauseWanted {
            isPauseWanted = false
            phase = .paused
            return .paused
        }
        phase = .waiting
        return backsOff ? .wait : .begin
    }

    /// Interceptors want no other attempt. False: the operation has ended meanwhile.
    mutating func decline(_ attempt: UInt) -> Bool {
        guard attempt == self.attempt, phase == .judging else { return false }
        phase = .concluding
        isDecided = true
        return true
    }

    /// The time before the attempt after this one is over. True: it is to be begun, as soon as there is a slot.
    mutating func backOffIsOver(after attempt: UInt) -> Bool {
        guard attempt == self.attempt, isBackingOff else { return false }
        isBackingOff = false
        return phase == .waiting
    }

    /// The operation has taken too long. True: nothing was under way, and the caller settles the result.
    mutating func expire() -> Bool {
        guard phase == .judging || phase == .waiting else { return false }
        phase = .concluding
        isDecided = true
        isBackingOff = false
        return true
    }

    // MARK: The end

    /// The result stands, and nothing is written any more. False, once: the part is to be removed before.
    mutating func settle() -> Bool {
        guard !discardsPart else {
            discardsPart = false
            return false
        }
        if phase == .concluding { phase = .concluded }
        return true
    }

    /// The last step. False: it was made before.
    mutating func finish() -> Bool {
        guard phase == .concluded else { return false }
        phase = .finished
        holdsAttempt = false
        return true
    }

    // MARK: The part of a download

    /// No operation will continue the part that a download leaves. True: nothing is written any more, and the caller
    /// removes it.
    mutating func discardPart() -> Bool {
        guard phase != .finished, phase != .concluded else { return true }
        discardsPart = discardsPart || isCancelled
        return false
    }

    // MARK: Archives

    /// An operation that was archived when it had ended.
    mutating func restoreFinished(cancelled: Bool) {
        isCancelled = cancelled
        owner = .caller
        phase = .finished
    }

    /// An operation that was archived while paused.
    mutating func restorePaused() {
        phase = .paused
        wasRestored = true
    }
}
