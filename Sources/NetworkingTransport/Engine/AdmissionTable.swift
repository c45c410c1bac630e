// SPDX-License-Identifier: MIT

/// The transfers under way to each origin, and those that wait: the one authority on that, for all pools.
///
/// A value type, so that its decisions can be tested without a network: it decides which transfer goes, and the engine
/// starts it. An origin has as many slots as connections are allowed to it or, when it answers in HTTP/2, as many as
/// streams.
struct AdmissionTable<Waiter> {
    /// Transfers at a time to an origin that answers in HTTP/2, where they share connections. Most servers allow 100 or
    /// 128 streams to a connection.
    static var streamLimit: Int { 100 }

    /// Transfers that an origin begins in a row on open connections, before an origin that waits for a connection gets
    /// its turn. If the turn changed with each request, each would need a handshake.
    static var turn: Int { 8 }

    /// Identifies a waiter in the table.
    struct Ticket: Hashable {
        fileprivate let origin: Int
        fileprivate let number: Int
    }

    /// The answer to a request for a slot. `origin` names the origin for as long as the slot is taken.
    enum Verdict {
        case admitted(origin: Int)
        case waits(Ticket)
    }

    /// A waiter's place: higher priority first, then first come, first served.
    private struct Waiting: Comparable {
        let waiter: Waiter
        let priority: Int
        let arrival: UInt64

        static func < (left: Waiting, right: Waiting) -> Bool {
            left.priority != right.priority ? left.priority > right.priority : left.arrival < right.arrival
        }
        static func == (left: Waiting, right: Waiting) -> Bool { left.arrival == right.arrival }
    }

    /// The HTTP version of an origin's connections, as the last one reported it.
    private enum Version {
        case unknown, http1, http2
    }

    private struct Origin {
        /// Empty: the place is free.
        var name: String
        var activeCount = 0
        /// The number of active transfers that stand still: see `lend`.
        var lentCount = 0
        var waiting = IndexedHeap<Waiting>()
        var version = Version.unknown
        /// Until the version is known, there is one transfer at a time.
        var beginsAlone = false
        /// Transfers that began while others waited for a connection.
        var turnCount = 0
        /// See `generation(of:)`.
        var generation: UInt32 = 0
    }

    /// Connections at a time to one origin.
    var connectionLimit: Int
    /// Connections at a time to all origins.
    var totalConnectionLimit = Int.max
    /// Connections that active transfers need.
    private(set) var connectionCount = 0
    /// Origins that only `totalConnectionLimit` holds up. They take turns.
    private var blockedOrigins = RecencyList()
    private var indexes: [String: Int] = [:]
    /// Changed in place only: a copy of an element would have its waiting list copied with the next change.
    private var origins: [Origin] = []
    private var freeIndexes: [Int] = []
    private var originsBeforePruning = 256

    init(connectionLimit: Int) { self.connectionLimit = connectionLimit }

    /// Asks for a slot. `arrival` orders waiters of one priority, and is unique.
    ///
    /// - Parameter beginsAlone: True: until the origin's version is known, there is one transfer at a time.
    mutating func enter(
        _ waiter: @autoclosure () -> Waiter, origin name: String, priority: Int, arrival: UInt64,
        beginsAlone: Bool = false
    ) -> Verdict {
        let index = index(of: name)
        if beginsAlone { origins[index].beginsAlone = true }
        if origins[index].waiting.isEmpty, takeSlot(index) { return .admitted(origin: index) }
        let waiting = Waiting(waiter: waiter(), priority: priority, arrival: arrival)
        let number = origins[index].waiting.insert(waiting)
        if hasFreeSlot(index) { blockedOrigins.append(index) }
        return .waits(Ticket(origin: index, number: number))
    }

    /// Takes a waiter out of the list; nil: it has left.
    @discardableResult
    mutating func withdraw(_ ticket: Ticket) -> Waiter? {
        origins[ticket.origin].waiting.remove(ticket.number)?.waiter
    }

    /// Gives a slot back. `next(after:)` says which waiter gets it.
    mutating func leave(_ index: Int) {
        guard origins[index].activeCount > 0 else { return }
        setActiveCount(origins[index].activeCount - 1, at: index)
    }

    /// Lends the slot of a transfer that stands still until its caller lets it go on, which may be never.
    /// `next(after:)` says which waiter gets it. The transfer's connection still counts towards the limit of all
    /// origins.
    mutating func lend(_ index: Int) {
        guard origins[index].lentCount < origins[index].activeCount else { return }
        origins[index].lentCount += 1
    }

    /// Takes back a slot that was lent, at once, even if the origin's limit is exceeded until other transfers leave.
    mutating func takeBack(_ index: Int) {
        guard origins[index].lentCount > 0 else { return }
        origins[index].lentCount -= 1
    }

    /// Returns the next waiter, with its origin, after a slot was given back at `index` or a limit has changed. The
    /// waiter has then taken the slot.
    mutating func next(after index: Int) -> (waiter: Waiter, origin: Int)? {
        if blockedOrigins.count > 0 {
            if origins[index].turnCount < Self.turn, let waiter = next(at: index) {
                origins[index].turnCount += 1
                return (waiter, index)
            }
            // It waits behind the others, if it has more.
            blockedOrigins.remove(index)
            let next = nextBlocked()
            if !origins[index].waiting.isEmpty, hasFreeSlot(index) { blockedOrigins.append(index) }
            if let next {
                origins[index].turnCount = 0
                return next
            }
        }
        return next(at: index).map { ($0, index) }
    }

    /// Returns the next waiter of an origin that has a free slot. The waiter has then taken the slot.
    private mutating func next(at index: Int) -> Waiter? {
        guard !origins[index].waiting.isEmpty, hasFreeSlot(index) else { return nil }
        guard takeSlot(index) else {
            blockedOrigins.append(index)
            return nil
        }
        return origins[index].waiting.removeFirst()?.waiter
    }

    /// Returns the next waiter, with its origin, of those that only lacked a connection. The waiter has then taken one.
    private mutating func nextBlocked() -> (waiter: Waiter, origin: Int)? {
        while let index = blockedOrigins.first {
            guard !origins[index].waiting.isEmpty, hasFreeSlot(index) else {
                blockedOrigins.remove(index)
                continue
            }
            guard takeSlot(index) else { return nil }
            // To the end, if there are more.
            blockedOrigins.remove(index)
            guard let waiting = origins[index].waiting.removeFirst() else { return nil }
            if !origins[index].waiting.isEmpty { blockedOrigins.append(index) }
            return (waiting.waiter, index)
        }
        return nil
    }

    /// Takes note of the version that a connection speaks. True: the limit has changed.
    mutating func noteVersion(at index: Int, isHTTP2: Bool) -> Bool {
        let version = isHTTP2 ? Version.http2 : .http1
        let former = origins[index].version
        guard former != version else { return false }
        connectionCount -= connectionCount(origins[index], active: origins[index].activeCount)
        origins[index].version = version
        connectionCount += connectionCount(origins[index], active: origins[index].activeCount)
        return former == .http2 || version == .http2 || origins[index].beginsAlone
    }

    /// True if the origin's last connection spoke HTTP/2.
    func speaksHTTP2(_ index: Int) -> Bool { origins[index].version == .http2 }

    /// True if several requests to the origin may share a connection, as far as is known.
    func mayShareConnections(_ index: Int) -> Bool { origins[index].version != .http1 }

    func name(of index: Int) -> String { origins[index].name }

    /// Counts the times that the origin's connections were given up: new transfers go to pools of this generation.
    func generation(of index: Int) -> UInt32 { origins[index].generation }

    mutating func beginGeneration(at index: Int) { origins[index].generation &+= 1 }

    func activeCount(_ name: String) -> Int { indexes[name].map { origins[$0].activeCount } ?? 0 }

    func waitingCount(_ name: String) -> Int { indexes[name].map { origins[$0].waiting.count } ?? 0 }

    /// The origins that have waiters.
    var contended: [Int] { origins.indices.filter { !origins[$0].waiting.isEmpty } }

    /// Empties the list of waiters, best first.
    mutating func removeAllWaiters() -> [Waiter] {
        var all: [Waiter] = []
        for index in origins.indices {
            while let waiting = origins[index].waiting.removeFirst() { all.append(waiting.waiter) }
        }
        return all
    }

    /// True if the origin's own limit allows one more transfer.
    private func hasFreeSlot(_ index: Int) -> Bool {
        let limit =
            switch origins[index].version {
            case .http2: max(connectionLimit, Self.streamLimit)
            case .unknown where origins[index].beginsAlone: 1
            case .unknown, .http1: connectionLimit
            }
        return origins[index].activeCount - origins[index].lentCount < limit
    }

    /// Takes a slot. False: no slot is free, or no connection for it.
    private mutating func takeSlot(_ index: Int) -> Bool {
        guard hasFreeSlot(index) else { return false }
        let active = origins[index].activeCount
        if connectionCount >= totalConnectionLimit,
            connectionCount(origins[index], active: active + 1) > connectionCount(origins[index], active: active)
        {
            return false
        }
        setActiveCount(active + 1, at: index)
        return true
    }

    private mutating func setActiveCount(_ count: Int, at index: Int) {
        connectionCount -= connectionCount(origins[index], active: origins[index].activeCount)
        origins[index].activeCount = count
        connectionCount += connectionCount(origins[index], active: count)
    }

    /// The number of connections that `active` transfers need.
    private func connectionCount(_ origin: Origin, active: Int) -> Int {
        origin.version == .http2 ? (active + Self.streamLimit - 1) / Self.streamLimit : active
    }

    private mutating func index(of name: String) -> Int {
        if let index = indexes[name] { return index }
        if indexes.count >= originsBeforePruning { prune() }
        let index: Int
        if let free = freeIndexes.popLast() {
            index = free
            origins[index] = Origin(name: name)
        } else {
            index = origins.count
            origins.append(Origin(name: name))
        }
        indexes[name] = index
        return index
    }

    /// Forgets the origins that have neither transfers nor waiters.
    private mutating func prune() {
        for (name, index) in indexes where origins[index].activeCount == 0 && origins[index].waiting.isEmpty {
            indexes[name] = nil
            blockedOrigins.remove(index)
            origins[index] = Origin(name: "")
            freeIndexes.append(index)
        }
        originsBeforePruning = max(256, indexes.count * 2)
    }
}
