// SPDX-License-Identifier: MIT

// The states of the machine, and its answers.

extension RequestMachine {
    /// The owner of an operation, which calls `start()`.
    enum Owner: UInt8 {
        /// No owner yet.
        case nobody
        /// A `RequestOperationQueue` that is just taking the operation in: nothing begins before it has.
        case joiningQueue
        /// A `RequestOperationQueue`.
        case requestQueue
        /// A Foundation queue, which calls `start()` once.
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
        /// The result stands, and is being delivered: too late to cancel.
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

    /// The action that `start` asks for.
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

    /// The permission to send the request a second time, as a pause and a resume do.
    enum AttemptRepetition { case allowed, never }

    /// The action that `pause` asks for.
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

    /// The action that `resume` asks for.
    enum ResumeAction: Equatable {
        case none
        /// The operation is ready; `restart`: the caller that started it will not do so again.
        case ready(restart: Bool)
    }

    /// The action that `cancel` asks for.
    enum CancelAction: Equatable {
        case none
        /// The end is under way, or `start()` will make it; `restart`: no other caller will call `start()`.
        case marked(restart: Bool)
        /// An attempt is under way: stop it, and its end ends the operation.
        case stop
        /// Nothing is under way: end the operation.
        case end
    }

    /// The standing of an attempt, for which its events count.
    enum Standing { case present, held, stale }

    /// The action that `retry` asks for.
    enum RetryAction: Equatable {
        /// The operation was cancelled, and ends: go on with that.
        case refused
        /// It has ended meanwhile.
        case stale
        /// Paused, as was asked before: the resume makes the next attempt.
        case paused
        /// Wait for the back-off's end.
        case wait
        /// Begin, as soon as there is a slot.
        case begin
    }
}
