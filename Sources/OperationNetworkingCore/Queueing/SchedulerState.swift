// SPDX-License-Identifier: MIT
internal import Foundation

/// The knowledge and the decisions of a `RequestOperationQueue`: a value without locks, threads or calls into
/// operations.
///
/// The queue tells it what happened and what operations say of themselves, and does what `next()` returns until it
/// returns nil. A snapshot of an operation is taken outside the lock, so it may be out of date when it is applied: each
/// has a ticket from before it was taken, and only the newest ticket's counts. Code that changes something refreshes
/// after the change, so the newest snapshot has everything.
struct SchedulerState {
    private(set) var entries: [Entry] = []
    private var free: [Int32] = []
    private var indices: [ObjectIdentifier: Int32] = [:]
    private var nextSequence: UInt64 = 0
    private var heap = EntryHeap()
    private var immediate = ActionList()
    private(set) var hosts: HostTable
    private var sections = BarrierSections()

    /// The number of operations that have a slot.
    private(set) var running = 0
    /// The number of operations that may have a slot; negative: any number.
    var maxConcurrent: Int
    /// The number of one host's operations that may have a slot; 0: any number.
    private(set) var maxPerHost = 0
    var isSuspended = false
    /// Above 0, nothing gets a slot: everything is being cancelled.
    var holds = 0

    /// - Parameter capacity: returns the number of operations of a host that can make progress at a time.
    init(maxConcurrent: Int, capacity: @escaping @Sendable (_ host: String) -> Int = { _ in .max }) {
        self.maxConcurrent = maxConcurrent
        hosts = HostTable(capacity: capacity)
    }

    /// Operations that have not finished.
    var count: Int { indices.count }
    /// True if there is neither an operation nor a barrier.
    var isEmpty: Bool { indices.isEmpty && !sections.hasBarrier }
    private var mayStart: Bool { !isSuspended && holds == 0 && !sections.isBarrierRunning }
    private var hasFreeSlot: Bool { maxConcurrent < 0 || running < maxConcurrent }
    /// The entry whose turn it is.
    private var nextQueued: Int? {
        guard mayStart, let index = heap.first, entries[index].epoch == sections.current,
            hasFreeSlot || entries[index].rank == .connected
        else { return nil }
        return index
    }
    private var isBarrierNext: Bool {
        sections.isBarrierDue && (sections.isBarrierCancelled || mayStart && hasFreeSlot)
    }
    /// True if `next()` would return something, or might.
    var hasWork: Bool {
        !immediate.isEmpty || isBarrierNext || nextQueued != nil
    }

    /// Unfinished operations with their sequence numbers, in no particular order.
    var operations: [(sequence: UInt64, operation: Operation)] {
        entries.compactMap { entry in entry.operation.map { (entry.sequence, $0) } }
    }

    /// Unfinished operations that are not the library's, in no particular order; without those that are just being added,
    /// whose dependencies nobody has read yet.
    var foreignOperations: [Operation] {
        entries.compactMap { $0.isForeign && $0.ticket > 0 ? $0.operation : nil }
    }

    func phase(of id: ObjectIdentifier) -> Phase? { indices[id].map { entries[Int($0)].phase } }

    // MARK: - Arrival and end

    /// The values that are needed before a snapshot is taken.
    struct RefreshToken {
        /// Distinguishes the newest snapshot from older ones.
        var ticket: UInt32
        /// True if the operation is to be asked for its host.
        var asksForHost: Bool
    }

    /// Takes an operation in, for a first snapshot; nil when it is there already.
    mutating func insert(_ operation: Operation, isForeign: Bool) -> RefreshToken? {
        let id = ObjectIdentifier(operation)
        guard indices[id] == nil else { return nil }
        let entry = Entry(
            operation: operation, sequence: nextSequence, epoch: sections.enter(), isForeign: isForeign)
        nextSequence &+= 1
        if let index = free.popLast() {
            entries[Int(index)] = entry
            indices[id] = index
        } else {
            indices[id] = Int32(entries.count)
            entries.append(entry)
        }
        return RefreshToken(ticket: entry.ticket, asksForHost: true)
    }

    /// Forgets an operation that finished, and returns it so that it is not released under the lock.
    mutating func remove(_ id: ObjectIdentifier) -> Operation? {
        guard let index = indices.removeValue(forKey: id).map(Int.init) else { return nil }
        leaveHeap(index)
        releaseSlot(index)
        leaveHost(index)
        sections.leave(entries[index].epoch)
        let operation = entries[index].operation.take()
        free.append(Int32(index))
        if indices.isEmpty {
            entries.removeAll(keepingCapacity: entries.count < 1024)
            free.removeAll(keepingCapacity: free.count < 1024)
        }
        return operation
    }

    // MARK: - Snapshots of operations

    /// Prepares a snapshot; nil: the operation is not in the queue.
    mutating func beginRefresh(_ id: ObjectIdentifier, because reason: RefreshReason) -> RefreshToken? {
        guard let index = indices[id].map(Int.init) else { return nil }
        entries[index].ticket &+= 1
        switch reason {
        case .change: break
        case .wish: entries[index].wantsStart = true
        case .failedStart: entries[index].failedStart = true
        }
        return RefreshToken(ticket: entries[index].ticket, asksForHost: !entries[index].hasHost)
    }

    /// Applies a snapshot, unless a newer one has been begun.
    mutating func apply(_ snapshot: OperationSnapshot, to id: ObjectIdentifier, token: RefreshToken) {
        guard let index = indices[id].map(Int.init), entries[index].ticket == token.ticket,
            let operation = entries[index].operation
        else { return }
        var wantsStart = entries[index].wantsStart
        entries[index].wantsStart = false
        if let host = snapshot.host { setHost(host, of: index) }
        if entries[index].failedStart {
            entries[index].failedStart = false
            if entries[index].phase == .running, !snapshot.isCancelled {
                if snapshot.isPaused || snapshot.isOpen && !snapshot.hasBegun {
                    // One that never ran waits for its dependencies.
                    releaseSlot(index)
                    entries[index].wasStarted = snapshot.hasBegun
                } else {
                    // What stopped it is over, and another start may have come first: it keeps its slot.
                    wantsStart = true
                }
            }
        }
        switch entries[index].phase {
        case .waiting, .queued, .parked, .yielded:
            if snapshot.isCancelled {
                leaveHeap(index)
                entries[index].phase = .detached
                begin(operation, index)
            } else if snapshot.isPaused || (snapshot.isOpen && !entries[index].wasStarted && !snapshot.hasBegun) {
                leaveHeap(index)
                entries[index].phase = entries[index].wasStarted ? .yielded : .waiting
            } else {
                queue(index, rank: snapshot.rank)
            }
        case .checking:
            if snapshot.isOpen {
                releaseSlot(index)
                entries[index].phase = .waiting
            } else if snapshot.rank != entries[index].rank {
                releaseSlot(index)
                queue(index, rank: snapshot.rank)
            } else {
                entries[index].phase = .running
                begin(operation, index)
            }
        case .running where !entries[index].isForeign:
            if snapshot.isPaused {
                releaseSlot(index)
                entries[index].phase = snapshot.isCancelled ? .detached : .yielded
                if snapshot.isCancelled { begin(operation, index) }
            } else if wantsStart, entries[index].hasLeftHost, !snapshot.isCancelled {
                // Another attempt, for which it needs a place at the host again.
                releaseSlot(index)
                queue(index, rank: snapshot.rank)
            } else if wantsStart {
                // Paused and resumed before either was seen, or cancelled with `start()` under way.
                begin(operation, index)
            }
        case .detached where !entries[index].isForeign:
            if wantsStart { begin(operation, index) }
        case .running, .detached:
            break
        }
    }

    private mutating func begin(_ operation: Operation, _ index: Int) {
        entries[index].wasStarted = true
        immediate.append(entries[index].isForeign ? .handOver(operation) : .start(operation))
    }

    private mutating func queue(_ index: Int, rank: PriorityRank) {
        let isUnchanged = entries[index].rank == rank
        entries[index].rank = rank
        switch entries[index].phase {
        case .queued:
            if !isUnchanged { heap.update(index, entries: &entries) }
        case .parked where rank == .connected:
            hosts.unpark(index, &entries)
            entries[index].phase = .queued
            heap.insert(index, &entries)
        case .parked:
            if !isUnchanged { hosts.update(index, &entries) }
        default:
            entries[index].phase = .queued
            heap.insert(index, &entries)
        }
    }

    private mutating func leaveHeap(_ index: Int) {
        switch entries[index].phase {
        case .queued:
            heap.remove(index, &entries)
            entries[index].phase = .waiting
            // The next of the host may have been waiting for this one.
            unpark(entries[index].host)
        case .parked:
            hosts.unpark(index, &entries)
            entries[index].phase = .waiting
        default: break
        }
    }

    // MARK: - Slots

    /// Returns the next action; nil: there is nothing to do now.
    mutating func next() -> Action? {
        if let action = immediate.popFirst() { return action }
        if isBarrierNext { return .barrier(sections.beginBarrier()) }
        while let index = nextQueued, let operation = entries[index].operation {
            heap.remove(index, &entries)
            guard hosts.takeSlot(index, &entries, limit: maxPerHost) else {
                entries[index].phase = .parked
                continue
            }
            running += 1
            // There may be room for more than those that took the place of others.
            unparkWithRoom(entries[index].host)
            if entries[index].isForeign {
                entries[index].phase = .checking
                return .check(operation)
            }
            entries[index].phase = .running
            entries[index].wasStarted = true
            return .start(operation)
        }
        return nil
    }

    /// Takes the slot from a running foreign operation, which is not ready by its own account.
    mutating func detachForeign(_ id: ObjectIdentifier) {
        guard let index = indices[id].map(Int.init), entries[index].isForeign, entries[index].phase == .running else {
            return
        }
        releaseSlot(index)
        entries[index].phase = .detached
    }

    private mutating func releaseSlot(_ index: Int) {
        guard entries[index].phase.hasSlot else { return }
        running -= 1
        if entries[index].hasLeftHost {
            entries[index].hasLeftHost = false
        } else {
            hosts.releaseSlot(index, entries)
        }
        entries[index].phase = .waiting
        unpark(entries[index].host)
    }

    /// Gives an operation's place at its host to another one. The operation keeps its slot.
    mutating func leaveHostSlot(_ id: ObjectIdentifier) {
        guard let index = indices[id].map(Int.init), entries[index].phase == .running, !entries[index].hasLeftHost
        else {
            return
        }
        entries[index].hasLeftHost = true
        hosts.releaseSlot(index, entries)
        unpark(entries[index].host)
    }

    // MARK: - Hosts

    mutating func setCapacity(_ capacity: @escaping @Sendable (_ host: String) -> Int) { hosts.capacity = capacity }

    /// Sets how many of one host's operations may run.
    mutating func setMaxPerHost(_ limit: Int) {
        maxPerHost = limit
        for host in hosts.indices {
            while unpark(Int32(host)) {}
        }
    }

    /// More operations of a host may be able to make progress than before. Nil: of any host.
    mutating func capacityDidChange(of name: String?) {
        // One of each: the next follows when it has got its slot.
        if let name { return unparkWithRoom(hosts.index(of: name)) }
        for host in hosts.indices { unparkWithRoom(Int32(host)) }
    }

    /// True once operations have waited for their host.
    var hasParked: Bool { hosts.hasParked }

    private mutating func setHost(_ host: String, of index: Int) {
        guard !entries[index].hasHost else { return }
        entries[index].hasHost = true
        hosts.join(index, host, &entries)
    }

    private mutating func leaveHost(_ index: Int) {
        let host = entries[index].host
        guard host >= 0 else { return }
        hosts.leave(host)
        entries[index].host = -1
    }

    /// Lets the first parked operation of a host compete again.
    @discardableResult
    private mutating func unpark(_ host: Int32) -> Bool {
        guard host >= 0, let index = hosts.firstParked(host) else { return false }
        unpark(index)
        return true
    }

    /// The same, if it would get a slot of its host.
    private mutating func unparkWithRoom(_ host: Int32) {
        if host >= 0, let index = hosts.firstWithRoom(host, limit: maxPerHost) { unpark(index) }
    }

    private mutating func unpark(_ index: Int) {
        hosts.unpark(index, &entries)
        entries[index].phase = .queued
        heap.insert(index, &entries)
    }

    // MARK: - Barriers

    /// Everything that arrives from now on waits for the block, and the block for everything before.
    mutating func addBarrier(_ block: @escaping @Sendable () -> Void) {
        sections.add(block)
    }

    /// The block returned.
    mutating func endBarrier() {
        sections.endBarrier()
    }

    /// Barriers that have not begun will end without running their block.
    mutating func cancelBarriers() -> [@Sendable () -> Void] {
        sections.cancelAll()
    }
}
