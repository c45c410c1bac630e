// SPDX-License-Identifier: MIT
internal import Foundation

extension SchedulerState {
    /// Where an operation in the queue stands.
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
        /// How many barriers came before.
        var epoch: UInt32
        /// Position in the heap the entry is in.
        var heapIndex: Int32 = -1
        /// Index of the host's record.
        var host: Int32 = -1
        /// The newest snapshot's.
        var ticket: UInt32 = 0
        var phase: Phase = .waiting
        var rank = PriorityRank(.normal)
        var isForeign: Bool
        /// Whether it ran before: after a pause its dependencies do not count any more.
        var wasStarted = false
        /// Whether a resume or a cancel arrived since the last snapshot.
        var wantsStart = false
        /// Whether `start()` could not begin the operation, since the last snapshot.
        var failedStart = false
        /// Whether the operation's host was asked for.
        var hasHost = false
        /// Whether the operation has a slot, but not its host's any more.
        var hasLeftHost = false

        /// Earlier barrier section first, then the higher priority, then the order of arrival.
        func precedes(_ other: Entry) -> Bool {
            if epoch != other.epoch { return epoch < other.epoch }
            if rank != other.rank { return rank > other.rank }
            return sequence < other.sequence
        }
    }

    /// Why a snapshot of an operation is taken.
    enum RefreshReason {
        case change
        /// A resume or a cancel: it is to be started (again).
        case wish
        /// `start()` could not begin it.
        case failedStart
    }

    /// What an operation says of itself, read outside the queue's lock.
    struct OperationSnapshot {
        var isCancelled = false
        /// Whether the operation is paused, or has no use for a slot for another reason.
        var isPaused = false
        /// Whether dependencies are open.
        var isOpen = false
        /// Whether the operation ran before: dependencies do not count then.
        var hasBegun = false
        var rank = PriorityRank(.normal)
        /// The host, if the queue asked for it and there is one.
        var host: String?
    }

    /// What to do outside the lock.
    enum Action: Sendable {
        /// Call `start()`.
        case start(Operation)
        /// Look at the operation again, now that it may run.
        case check(Operation)
        /// Give the operation to Foundation.
        case handOver(Operation, hasSlot: Bool)
        /// Run a barrier's block, or nothing if it was cancelled, and report its end.
        case barrier((@Sendable () -> Void)?)
    }
}
