// SPDX-License-Identifier: MIT

// What the machine is in, and what it answers with.

extension RequestMachine {
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
        /// The attempt failed, and interceptors are asked whether there is to be another. No slot is held.
        case judging
        /// The attempt failed, and another is to be made, when its time has come and there is a slot. None is held.
        case waiting
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

    /// What `start` asks for.
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
        /// Resumed before the next attempt's time has come: executing again, without a slot.
        case backOff
        /// The operation was cancelled before it ran: end it.
        case end
    }

    /// Whether the request may go out a second time, as a pause and a resume make it.
    enum AttemptRepetition { case allowed, never }

    /// What `pause` asks for.
    enum PauseAction: Equatable {
        case none
        /// Too late, unless there is to be another attempt.
        case noted
        /// Paused with nothing under way.
        case paused
        /// Paused: stop the attempt, whose end no longer counts.
        case stop
        /// Paused: hold the attempt, which goes on later.
        case hold
    }

    /// What `resume` asks for.
    enum ResumeAction: Equatable {
        case none
        /// The operation is ready; `restart`: whoever started it will not do so again.
        case ready(restart: Bool)
    }

    /// What `cancel` asks for.
    enum CancelAction: Equatable {
        case none
        /// The end is under way, or `start()` will make it; `restart`: nobody else will call `start()`.
        case marked(restart: Bool)
        /// An attempt is under way: stop it, and its end ends the operation.
        case stop
        /// Nothing is under way: end the operation.
        case end
    }

    /// What an event of an attempt counts for.
    enum Standing { case present, held, stale }

    /// What `retry` asks for.
    enum RetryAction: Equatable {
        /// The operation was cancelled, and ends: go on with that.
        case refused
        /// It has ended meanwhile.
        case stale
        /// Paused, as somebody wanted it to be: the resume makes the next attempt.
        case paused
        /// Wait for the back-off's end.
        case wait
        /// Begin, as soon as there is a slot.
        case begin
    }
}
