// SPDX-License-Identifier: MIT

/// The number of operations of each host that have a slot, and the operations that wait for one.
struct HostTable {
    private struct Record {
        var name: String
        /// Operations of the host in the queue.
        var members = 0
        /// Those that have a slot.
        var running = 0
        /// Those that wait for one, next first.
        var parked = EntryHeap()
    }

    /// Returns the number of operations of a host that can make progress at a time. Called when one is to start.
    var capacity: @Sendable (String) -> Int
    private var records: [Record] = []
    private var free: [Int32] = []
    private var byName: [String: Int32] = [:]
    /// True once an operation has waited for its host.
    private(set) var hasParked = false

    init(capacity: @escaping @Sendable (String) -> Int) {
        self.capacity = capacity
    }

    var indices: Range<Int> { records.indices }

    /// The host of a name; -1: none of its operations is in the queue.
    func index(of name: String) -> Int32 { byName[name] ?? -1 }

    /// Counts an operation to its host.
    mutating func join(_ index: Int, _ name: String, _ entries: inout [SchedulerState.Entry]) {
        let host: Int32
        if let known = byName[name] {
            host = known
        } else if let reused = free.popLast() {
            records[Int(reused)] = Record(name: name)
            host = reused
        } else {
            host = Int32(records.count)
            records.append(Record(name: name))
        }
        byName[name] = host
        records[Int(host)].members += 1
        if entries[index].phase.hasSlot, !entries[index].hasLeftHost { records[Int(host)].running += 1 }
        entries[index].host = host
    }

    /// An operation left the queue, without a slot by now.
    mutating func leave(_ host: Int32) {
        records[Int(host)].members -= 1
        guard records[Int(host)].members == 0 else { return }
        byName[records[Int(host)].name] = nil
        free.append(host)
    }

    /// Takes one of the host's slots, or parks the operation unless it is connected.
    mutating func takeSlot(_ index: Int, _ entries: inout [SchedulerState.Entry], limit: Int) -> Bool {
        let host = Int(entries[index].host)
        guard host >= 0 else { return true }
        guard entries[index].rank == .connected || hasRoom(host, limit: limit) else {
            records[host].parked.insert(index, &entries)
            hasParked = true
            return false
        }
        records[host].running += 1
        return true
    }

    /// Returns true if one more of the host's operations would get a slot.
    private func hasRoom(_ host: Int, limit: Int) -> Bool {
        let running = records[host].running
        return running == 0 || (limit <= 0 || running < limit) && running < capacity(records[host].name)
    }

    /// The first of the host's parked operations, if there is room for it.
    func firstWithRoom(_ host: Int32, limit: Int) -> Int? {
        guard let first = firstParked(host), hasRoom(Int(host), limit: limit) else { return nil }
        return first
    }

    mutating func releaseSlot(_ index: Int, _ entries: [SchedulerState.Entry]) {
        let host = Int(entries[index].host)
        if host >= 0 { records[host].running -= 1 }
    }

    func firstParked(_ host: Int32) -> Int? { records[Int(host)].parked.first }

    /// Takes a parked operation out.
    mutating func unpark(_ index: Int, _ entries: inout [SchedulerState.Entry]) {
        records[Int(entries[index].host)].parked.remove(index, &entries)
    }

    mutating func update(_ index: Int, _ entries: inout [SchedulerState.Entry]) {
        records[Int(entries[index].host)].parked.update(index, entries: &entries)
    }
}
