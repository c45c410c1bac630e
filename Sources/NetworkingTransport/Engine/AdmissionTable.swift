/// How many transfers are under way to each origin, and which wait: the one authority on that, for all pools.
///
/// A value, so that its decisions can be tested without a network: it says who goes, the engine does it. An origin has as
/// many slots as connections are allowed to it, or, when it answers in HTTP/2, as many as streams.
struct AdmissionTable<Waiter> {
    /// Transfers at a time to an origin that answers in HTTP/2, where they share connections. Most servers allow 100 or
    /// 128 streams to a connection.
    static var streamLimit: Int { 100 }

    /// Where a waiter stands.
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

    private struct Origin {
        /// Empty: the place is free.
        var name: String
        var activeCount = 0
        var waiting = IndexedHeap<Waiting>()
        /// Its last response came in HTTP/2.
        var speaksHTTP2 = false
        /// See `generation(of:)`.
        var generation: UInt32 = 0
    }

    /// Connections at a time to one origin.
    var connectionLimit: Int
    private var indexes: [String: Int] = [:]
    /// Changed in place only: a copy of an element would have its waiting list copied with the next change.
    private var origins: [Origin] = []
    private var freeIndexes: [Int] = []
    private var originsBeforePruning = 256

    init(connectionLimit: Int) { self.connectionLimit = connectionLimit }

    /// Asks for a slot. `arrival` orders waiters of one priority, and is unique.
    mutating func enter(_ waiter: @autoclosure () -> Waiter, origin name: String, priority: Int, arrival: UInt64)
        -> Verdict
    {
        let index = index(of: name)
        if hasFreeSlot(index), origins[index].waiting.isEmpty {
            origins[index].activeCount += 1
            return .admitted(origin: index)
        }
        let waiting = Waiting(waiter: waiter(), priority: priority, arrival: arrival)
        return .waits(Ticket(origin: index, number: origins[index].waiting.insert(waiting)))
    }

    /// Takes a waiter out of the list; nil: it has left.
    @discardableResult
    mutating func withdraw(_ ticket: Ticket) -> Waiter? {
        origins[ticket.origin].waiting.remove(ticket.number)?.waiter
    }

    /// Gives a slot back. `next(at:)` says who gets it.
    mutating func leave(_ index: Int) {
        guard origins[index].activeCount > 0 else { return }
        origins[index].activeCount -= 1
    }

    /// The next waiter that a slot is free for, which it has then taken.
    mutating func next(at index: Int) -> Waiter? {
        guard hasFreeSlot(index), let waiting = origins[index].waiting.removeFirst() else { return nil }
        origins[index].activeCount += 1
        return waiting.waiter
    }

    /// Takes note of a response's version. True: the limit has changed.
    mutating func noteResponse(at index: Int, isHTTP2: Bool) -> Bool {
        guard origins[index].speaksHTTP2 != isHTTP2 else { return false }
        origins[index].speaksHTTP2 = isHTTP2
        return true
    }

    func speaksHTTP2(_ index: Int) -> Bool { origins[index].speaksHTTP2 }

    func name(of index: Int) -> String { origins[index].name }

    /// Counts the times that the origin's connections were given up: new transfers go to pools of this generation.
    func generation(of index: Int) -> UInt32 { origins[index].generation }

    mutating func beginGeneration(at index: Int) { origins[index].generation &+= 1 }

    func activeCount(_ name: String) -> Int { indexes[name].map { origins[$0].activeCount } ?? 0 }

    func waitingCount(_ name: String) -> Int { indexes[name].map { origins[$0].waiting.count } ?? 0 }

    /// The origins somebody waits for.
    var contended: [Int] { origins.indices.filter { !origins[$0].waiting.isEmpty } }

    /// Empties the list of waiters, best first.
    mutating func removeAllWaiters() -> [Waiter] {
        var all: [Waiter] = []
        for index in origins.indices {
            while let waiting = origins[index].waiting.removeFirst() { all.append(waiting.waiter) }
        }
        return all
    }

    private func hasFreeSlot(_ index: Int) -> Bool {
        let limit = origins[index].speaksHTTP2 ? max(connectionLimit, Self.streamLimit) : connectionLimit
        return origins[index].activeCount < limit
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

    /// Forgets the origins that nothing goes on at.
    private mutating func prune() {
        for (name, index) in indexes where origins[index].activeCount == 0 && origins[index].waiting.isEmpty {
            indexes[name] = nil
            origins[index] = Origin(name: "")
            freeIndexes.append(index)
        }
        originsBeforePruning = max(256, indexes.count * 2)
    }
}
