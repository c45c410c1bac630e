/// The life of a request's operation as a pure value: inputs in, actions out.
///
/// The owner calls an input with its lock held, lets go of the lock, and then does what the answer says. Whatever
/// arrives late (the end of an attempt that was paused, a second start) is answered with `none` or `stale`.
///
/// | input        | ready                     | paused        | preparing     | running       | received | concluding | concluded, finished |
/// |--------------|---------------------------|---------------|---------------|---------------|----------|------------|---------------------|
/// | start        | begins, waits, or ends    | wanted        | –             | –             | –        | –          | –                   |
/// | pause        | paused                    | –             | paused        | paused (1)    | –        | –          | –                   |
/// | resume       | –                         | ready         | –             | –             | –        | –          | –                   |
/// | cancel       | marked (2)                | ready (2)     | stops         | stops         | stops    | marked     | –                   |
/// | dependencies | begins if it was wanted   | –             | –             | –             | –        | –          | –                   |
/// | prepared     | –                         | –             | running       | –             | –        | –          | –                   |
/// | content here | stale                     | stale (1)     | –             | received      | –        | –          | stale               |
/// | attempt over | stale                     | stale (1)     | concluding    | concluding    | concluding | stale    | stale               |
/// | settled      | –                         | –             | –             | –             | –        | concluded  | –                   |
/// | finish       | –                         | –             | –             | –             | –        | –          | finished, once      |
///
/// 1. An attempt that must not be repeated (`AttemptRepetition.never`) is held in its place: it stays the present one,
///    and what happens to it is looked at after the resume.
/// 2. Ends by `start()`, which whoever owns the operation calls; it is called again when it had been called before.
struct RequestMachine: Equatable {
    /// Who calls `start()`.
    enum Owner: UInt8 {
        /// Nobody yet.
        case nobody
        /// A `RequestOperationQueue` that is just taking the operation in: nothing begins before it has.
        case joiningQueue
        /// A `RequestOperationQueue`.
        case requestQueue
        /// A queue of Foundation's, which calls `start()` once.
        case foundationQueue
        /// The caller of `start()`.
        case caller
    }

    enum Phase: UInt8 {
        /// Nothing is under way.
        case ready
        case paused
        /// The blocks that come before the request are running.
        case preparing
        /// An attempt is under way.
        case running
        /// All content of the attempt is here, and is being written out: too late to pause.
        case received
        /// The result is in, and is being parsed.
        case concluding
        /// The result stands, and is being told: too late to cancel.
        case concluded
        case finished
    }

    /// The blocks that come before an attempt: a pause and a resume while they run do not make them run again.
    enum Preparation: UInt8 {
        case none
        case running
        /// They have run, and no attempt has begun since.
        case done
    }

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
    /// Distinguishes the attempts of one operation, so that a late event of an earlier one is not taken for the present
    /// one's; 0: none has begun.
    private(set) var attempt: UInt = 0

    /// What AFNetworking calls the state.
    var state: OperationState {
        switch phase {
        case .ready: .ready
        case .paused: .paused
        case .preparing, .running, .received: .executing
        case .concluding, .concluded: endsFromReady ? .ready : .executing
        case .finished: .finished
        }
    }

    /// Whether the operation is about to end without an attempt under way.
    var isEndingFromReady: Bool { endsFromReady && (phase == .concluding || phase == .concluded) }

    /// Whether an attempt has begun: from then on dependencies that are added do not count.
    var hasBegun: Bool { attempt > 0 }

    /// Whether the operation was handed to a queue, started, or asked to start.
    var isClaimed: Bool { owner != .nobody }

    /// Whether the request, or what comes before it, is under way.
    var isUnderWay: Bool { phase == .preparing || phase == .running }

    // MARK: Ownership

    /// A `RequestOperationQueue` takes the operation in. False: it is somebody else's, or under way, or over.
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

    /// A queue of Foundation's turned out to have the operation.
    mutating func noteFoundationQueue() {
        if owner == .nobody { owner = .foundationQueue }
    }

    // MARK: Start

    enum StartAction: Equatable {
        /// Under way, or over.
        case none
        /// The operation is paused or has open dependencies, and begins when it can: a queue has its slot back.
        case wait
        /// Run the blocks that come before the request.
        case prepare
        /// Begin this attempt.
        case launch(UInt)
        /// Let the attempt that was held go on.
        case proceed(UInt)
        /// The operation was cancelled before it ran: end it.
        case end
    }

    /// - Parameters:
    ///   - dependenciesAreMet: no upstream is still running.
    ///   - needsPreparation: blocks come before the request.
    mutating func start(dependenciesAreMet: Bool, needsPreparation: Bool, by caller: Owner = .caller) -> StartAction {
        if owner == .nobody { owner = caller }
        guard phase == .ready || phase == .paused else { return .none }
        if owner == .joiningQueue {
            // The queue looks at the operation as soon as it has taken it in.
            return .none
        }
        guard phase == .ready else {
            isStartWanted = true
            return .wait
        }
        if isCancelled {
            phase = .concluding
            endsFromReady = true
            return .end
        }
        guard dependenciesAreMet || hasBegun else {
            isStartWanted = true
            return .wait
        }
        isStartWanted = false
        if holdsAttempt {
            holdsAttempt = false
            phase = .running
            return .proceed(attempt)
        }
        attempt &+= 1
        switch preparation {
        case .none where needsPreparation:
            preparation = .running
            phase = .preparing
            return .prepare
        case .running:
            // Whoever runs the blocks goes on with this attempt.
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

    /// Whether the request may go out a second time, as a pause and a resume make it.
    enum AttemptRepetition { case allowed, never }

    enum PauseAction: Equatable {
        case none
        /// Paused with nothing under way.
        case paused
        /// Paused: stop the attempt, whose end no longer counts.
        case stop
        /// Paused: hold the attempt, which goes on later.
        case hold
    }

    mutating func pause(_ repetition: AttemptRepetition) -> PauseAction {
        guard !isCancelled else { return .none }
        switch phase {
        case .ready:
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
        case .paused, .received, .concluding, .concluded, .finished:
            return .none
        }
    }

    enum ResumeAction: Equatable {
        case none
        /// The operation is ready; `restart`: whoever started it will not do so again.
        case ready(restart: Bool)
    }

    mutating func resume() -> ResumeAction {
        guard phase == .paused else { return .none }
        phase = .ready
        return .ready(restart: isStartWanted || hasBegun || wasRestored)
    }

    enum CancelAction: Equatable {
        case none
        /// The end is under way, or `start()` will make it; `restart`: nobody else will call `start()`.
        case marked(restart: Bool)
        /// An attempt is under way: stop it, and its end ends the operation.
        case stop
    }

    mutating func cancel() -> CancelAction {
        guard !isCancelled, phase != .concluded, phase != .finished else { return .none }
        isCancelled = true
        switch phase {
        case .ready, .paused:
            phase = .ready
            return .marked(restart: isStartWanted || hasBegun)
        case .preparing, .running, .received:
            return .stop
        case .concluding, .concluded, .finished:
            return .marked(restart: false)
        }
    }

    // MARK: The attempt

    /// What an event of an attempt counts for.
    enum Standing { case present, held, stale }

    /// Whether the attempt is the one that counts.
    func standing(of attempt: UInt) -> Standing {
        guard attempt == self.attempt else { return .stale }
        switch phase {
        case .preparing, .running, .received: return .present
        case .ready, .paused: return holdsAttempt ? .held : .stale
        case .concluding, .concluded, .finished: return .stale
        }
    }

    /// All content of an attempt is here. Anything but `present`: it is not to be written out now.
    mutating func didReceiveContent(_ attempt: UInt) -> Standing {
        let standing = standing(of: attempt)
        if standing == .present { phase = .received }
        return standing
    }

    /// Claims the end of an attempt. `present` once for each operation: whoever gets it settles the result.
    mutating func endAttempt(_ attempt: UInt) -> Standing {
        let standing = standing(of: attempt)
        if standing == .present { phase = .concluding }
        return standing
    }

    /// A held attempt turned out never to have been sent: the next start makes another.
    mutating func abandonHold(of attempt: UInt) {
        if attempt == self.attempt { holdsAttempt = false }
    }

    // MARK: The end

    /// The result stands.
    mutating func settle() {
        if phase == .concluding { phase = .concluded }
    }

    /// The last step. False: it was made before.
    mutating func finish() -> Bool {
        guard phase == .concluded else { return false }
        phase = .finished
        holdsAttempt = false
        return true
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
