/// The life of an operation as a pure value: each call checks and assigns, and answers with what the owner has to do
/// once it has let go of its lock.
struct OperationLifecycle {
    /// A step from one state to another, to be announced.
    struct Transition: Equatable {
        let old: OperationState
        let new: OperationState
    }

    enum StartAction: Equatable {
        case none
        /// The operation is executing now: begin the attempt with this number.
        case begin(attempt: UInt)
        /// The operation was cancelled before it ran: end it.
        case end
    }

    enum PauseAction: Equatable {
        case none
        case paused(from: OperationState)
    }

    enum ResumeAction: Equatable {
        case none
        /// The operation is ready; `restart`: whoever started it will not do so again.
        case ready(restart: Bool)
    }

    enum CancelAction: Equatable {
        case none
        /// Only the flag changed: `start()` will end the operation.
        case marked
        /// The operation was paused and is ready now; `restart`: nobody else will call `start()`.
        case released(restart: Bool)
        /// A transfer is under way: it has to be stopped, and its end ends the operation.
        case stop
    }

    private(set) var state = OperationState.ready
    private(set) var isCancelled = false
    /// `start()` was called: by a queue, which will not call it again, or by hand.
    private(set) var hasStarted = false
    /// The result is settled and is being delivered.
    private(set) var isConcluded = false
    /// Came paused from an archive: it had been started in its earlier life, so `resume()` starts it.
    private(set) var wasRestored = false
    /// Distinguishes the transfers of one operation, so that a late event of an earlier one is not taken for the
    /// present one's.
    private(set) var attempt: UInt = 0
    /// All content of the present attempt is here, and is being written out: too late to pause.
    private(set) var isReceived = false
    /// The present attempt's result is in, and is being processed.
    private(set) var isEnding = false

    /// - Parameter dependenciesAreMet: no upstream is still running.
    mutating func start(dependenciesAreMet: Bool) -> StartAction {
        switch state {
        case .executing, .finished:
            return .none
        case .paused:
            hasStarted = true
            return .none
        case .ready where isEnding:
            return .none
        case .ready where isCancelled:
            hasStarted = true
            isEnding = true
            return .end
        case .ready:
            guard dependenciesAreMet else { return .none }
            hasStarted = true
            attempt &+= 1
            move(to: .executing)
            return .begin(attempt: attempt)
        }
    }

    mutating func pause() -> PauseAction {
        guard !isCancelled, !isEnding, !isReceived, state == .ready || state == .executing else { return .none }
        let old = state
        attempt &+= 1
        move(to: .paused)
        return .paused(from: old)
    }

    mutating func resume() -> ResumeAction {
        guard state == .paused else { return .none }
        move(to: .ready)
        return .ready(restart: hasStarted || wasRestored)
    }

    mutating func cancel() -> CancelAction {
        guard !isCancelled, !isConcluded, state != .finished else { return .none }
        isCancelled = true
        switch state {
        case .ready, .finished:
            return .marked
        case .paused:
            move(to: .ready)
            return .released(restart: hasStarted)
        case .executing:
            return isEnding ? .marked : .stop
        }
    }

    /// All content of an attempt is here. False: the attempt no longer counts.
    mutating func didReceiveContent(attempt: UInt) -> Bool {
        guard isCurrent(attempt) else { return false }
        isReceived = true
        return true
    }

    /// Claims the end of an attempt. True once for each operation: whoever got it processes the result and then calls
    /// `finish()`.
    mutating func beginEnding(attempt: UInt) -> Bool {
        guard state == .executing, attempt == self.attempt, !isEnding else { return false }
        isEnding = true
        return true
    }

    /// The result is settled; what is left is to tell. Too late to cancel: whoever looks would find a cancelled
    /// operation without an error.
    mutating func conclude() {
        isConcluded = true
    }

    /// Whether the attempt is still the one that counts.
    func isCurrent(_ attempt: UInt) -> Bool {
        state == .executing && attempt == self.attempt && !isEnding
    }

    /// The last step. Nil when it was made before.
    mutating func finish() -> Transition? {
        guard state.canTransition(to: .finished, isCancelled: isCancelled) else { return nil }
        let old = state
        move(to: .finished)
        return Transition(old: old, new: .finished)
    }

    /// An operation that was archived when it had ended.
    mutating func restoreFinished(cancelled: Bool) {
        isCancelled = cancelled
        hasStarted = true
        isEnding = true
        state = .finished
    }

    /// An operation that was archived while paused.
    mutating func restorePaused() {
        state = .paused
        wasRestored = true
    }

    private mutating func move(to next: OperationState) {
        assert(state.canTransition(to: next, isCancelled: isCancelled))
        state = next
    }
}
