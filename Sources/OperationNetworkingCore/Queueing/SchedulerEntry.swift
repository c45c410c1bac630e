// SPDX-License-Identifier: MIT
internal import Foundation

extension SchedulerState {
    /// The stage of an operation in the queue.
    enum Phase: UInt8 {
        /// Pending, and not to be started now: paused, dependencies open, or not looked at yet.
        case waiting
        /// To be started when a slot is free.
        case queued
        /// As `queued`, but its host has no free slot: out of the way of the others.
        case parked
        /// A foreign operation whose turn came: it has a slot while its dependencies are read again.
        case checking
        /// Started, or about to be, with a slot.
        case running
        /// Started and paused: its slot was given back.
        case yielded
        /// Started without a slot: a cancelled operation, or a foreign one that is not ready by its own account.
        case detached

        var hasSlot: Bool { self == .checking || self == .running }
    }

    /// The queue's bookkeeping for one operation.
    struct Entry {
        /// Nil in a free place.
        var operation: Operation?
        /// The order of arrival.
        var sequence: UInt64
        /// The number of barriers that came before.
        var epoch: UInt32
        /// Position in the heap the entry is in.
        var heapIndex: Int32 = -1
        /// Index of the host's record.
        var host: Int32 = -1
        /// The ticket of the newest snapshot.
        var ticket: UInt32 = 0
        var phase: Phase = .waiting
        var rank = PriorityRank(.normal)
        var isForeign: Bool
        /// True if the operation ran before: after a pause its dependencies no longer count.
        var wasStarted = false
        /// True if a resume or a cancel arrived since the last snapshot.
        var wantsStart = false
        /// True if `start()` could not begin the operation, since the last snapshot.
        var failedStart = false
        /// True once the operation's host is known.
        var hasHost = false
        /// True if the operation has a slot, but no longer its host's.
        var hasLeftHost = false

        /// Earlier barrier section first, then the higher priority, then the order of arrival.
        func precedes(_ other: Entry) -> Bool {
            if epoch != other.epoch { return epoch < other.epoch }
            if rank != other.rank { return rank > other.rank }
            return sequence < other.sequence
        }
    }

    /// The reason for a snapshot of an operation.
    enum RefreshReason {
        case change
        /// A resume or a cancel: it is to be started (again).
        case wish
        /// `start()` could not begin it.
        case failedStart
    }

    /// The state of an operation by its own account, read outside the queue's lock.
    struct OperationSnapshot {
        var isCancelled = false
        /// True if the operation is paused, or has no use for a slot for another reason.
        var isPaused = false
        /// True if dependencies are open.
        var isOpen = false
        /// True if the operation ran before: dependencies do not count then.
        var hasBegun = false
        var rank = PriorityRank(.normal)
        /// The host, if the queue asked for it and there is one.
        var host: String?
    }

    /// An action to be taken outside the lock.
    enum Action: Sendable {
        /// Call `start()`.
        case start(Operation)
        /// Look at the operation again, now that it may run.
        case check(Operation)
        /// Let Foundation start the operation.
        case handOver(Operation)
        /// Run a barrier's block, or nothing if it was cancelled, and report its end.
        case barrier((@Sendable () -> Void)?)
    }
}
