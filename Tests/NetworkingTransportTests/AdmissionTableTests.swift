// SPDX-License-Identifier: MIT
import Testing

@testable import NetworkingTransport

@Suite("Admission table")
struct AdmissionTableTests {
    /// A table whose waiters are their names, and what it answers.
    private struct Host {
        var table: AdmissionTable<String>
        private var arrival: UInt64 = 0

        init(limit: Int) { table = AdmissionTable(connectionLimit: limit) }

        /// Nil: the waiter was admitted.
        mutating func enter(_ waiter: String, origin: String = "http://a", priority: Int = 0)
            -> AdmissionTable<String>.Ticket?
        {
            arrival += 1
            switch table.enter(waiter, origin: origin, priority: priority, arrival: arrival) {
            case .admitted: return nil
            case .waits(let ticket): return ticket
            }
        }

        mutating func index(_ origin: String = "http://a") -> Int {
            let limit = table.connectionLimit
            table.connectionLimit = .max
            defer { table.connectionLimit = limit }
            guard case .admitted(let index) = table.enter("", origin: origin, priority: 0, arrival: 0) else {
                return -1
            }
            table.leave(index)
            return index
        }
    }

    @Test("As many go as there are slots, to each origin; the rest goes when slots come back")
    func slots() {
        var host = Host(limit: 2)
        let index = host.index()
        #expect(host.enter("1") == nil)
        #expect(host.enter("2") == nil)
        #expect(host.enter("3") != nil)
        #expect(host.enter("4") != nil)
        #expect(host.enter("other", origin: "http://b") == nil)
        #expect(host.table.activeCount("http://a") == 2)
        #expect(host.table.waitingCount("http://a") == 2)
        #expect(host.table.next(after: index)?.waiter == nil)
        host.table.leave(index)
        #expect(host.table.next(after: index)?.waiter == "3")
        #expect(host.table.next(after: index)?.waiter == nil)
        host.table.leave(index)
        host.table.leave(index)
        #expect(host.table.next(after: index)?.waiter == "4")
        #expect(host.table.next(after: index)?.waiter == nil)
        #expect(host.table.activeCount("http://a") == 1)
        for _ in 0..<3 { host.table.leave(index) }
        #expect(host.table.activeCount("http://a") == 0)
    }

    @Test("A slot that is lent goes to the next, and is there again at once when it is taken back")
    func lending() {
        var host = Host(limit: 1)
        let index = host.index()
        #expect(host.enter("1") == nil)
        #expect(host.enter("2") != nil)
        #expect(host.enter("3") != nil)
        host.table.lend(index)
        #expect(host.table.next(after: index)?.waiter == "2")
        #expect(host.table.next(after: index)?.waiter == nil)
        host.table.takeBack(index)
        #expect(host.table.activeCount("http://a") == 2)
        host.table.leave(index)
        #expect(host.table.next(after: index)?.waiter == nil)
        host.table.leave(index)
        #expect(host.table.next(after: index)?.waiter == "3")
        // No more than there are, and none that was not lent.
        for _ in 0..<3 { host.table.lend(index) }
        host.table.takeBack(index)
        host.table.takeBack(index)
        #expect(host.enter("4") != nil)
    }

    @Test("The connection of a slot that is lent counts towards that of all origins")
    func lendingConnections() {
        var host = Host(limit: 1)
        let index = host.index()
        host.table.totalConnectionLimit = 1
        #expect(host.enter("1") == nil)
        host.table.lend(index)
        #expect(host.enter("2") != nil)
        #expect(host.enter("other", origin: "http://b") != nil)
        host.table.takeBack(index)
        host.table.leave(index)
        #expect(host.table.next(after: index)?.waiter == "2")
        #expect(host.table.connectionCount == 1)
    }

    @Test("Nobody who comes later takes a slot from those who wait")
    func noOvertaking() {
        var host = Host(limit: 1)
        let index = host.index()
        #expect(host.enter("1") == nil)
        #expect(host.enter("2") != nil)
        host.table.leave(index)
        #expect(host.enter("3") != nil)
        #expect(host.table.next(after: index)?.waiter == "2")
    }

    @Test("Those who wait go by priority, then by arrival, and leave from anywhere")
    func order() {
        var host = Host(limit: 0)
        let index = host.index()
        var tickets: [AdmissionTable<String>.Ticket] = []
        for number in 0..<300 {
            if let ticket = host.enter("\(number)", priority: number % 3) { tickets.append(ticket) }
        }
        #expect(tickets.count == 300)
        let leaving = (0..<300).filter { $0 % 7 == 0 }.shuffled()
        for number in leaving {
            let left = host.table.withdraw(tickets[number])
            #expect(left == "\(number)")
        }
        #expect(host.table.waitingCount("http://a") == 300 - leaving.count)
        host.table.connectionLimit = .max
        var order: [Int] = []
        while let waiter = host.table.next(after: index)?.waiter { order.append(Int(waiter) ?? -1) }
        #expect(order == (0..<300).filter { $0 % 7 != 0 }.sorted { ($1 % 3, $0) < ($0 % 3, $1) })
        // A ticket is good once.
        let again = tickets.compactMap { host.table.withdraw($0) }
        #expect(again.isEmpty)
    }

    @Test("An origin that answers in HTTP/2 has its streams for a limit, until it answers in HTTP/1")
    func streams() {
        var host = Host(limit: 6)
        let index = host.index()
        for number in 0..<200 { _ = host.enter("\(number)") }
        #expect(host.table.activeCount("http://a") == 6)
        #expect(host.table.noteVersion(at: index, isHTTP2: true) == true)
        #expect(host.table.noteVersion(at: index, isHTTP2: true) == false)
        while host.table.next(after: index)?.waiter != nil {}
        #expect(host.table.activeCount("http://a") == 100)
        #expect(host.table.noteVersion(at: index, isHTTP2: false) == true)
        #expect(host.table.next(after: index)?.waiter == nil)
        for _ in 0..<95 { host.table.leave(index) }
        #expect(host.table.next(after: index)?.waiter != nil)
        #expect(host.table.next(after: index)?.waiter == nil)
        // A limit above that of streams is for streams, too.
        host.table.connectionLimit = 150
        #expect(host.table.noteVersion(at: index, isHTTP2: true) == true)
        while host.table.next(after: index)?.waiter != nil {}
        #expect(host.table.waitingCount("http://a") == 0)
    }

    @Test("Where connections are wanting in all, the origins that wait for one take turns")
    func total() {
        var table = AdmissionTable<String>(connectionLimit: 2)
        table.totalConnectionLimit = 3
        var arrival: UInt64 = 0
        var indexes: [String: Int] = [:]
        var waiting = 0
        for name in ["a", "a", "b", "b", "c", "c", "c", "d"] {
            arrival += 1
            switch table.enter(name, origin: name, priority: 0, arrival: arrival) {
            case .admitted(let origin): indexes[name] = origin
            case .waits: waiting += 1
            }
        }
        #expect(indexes.keys.sorted() == ["a", "b"] && waiting == 5)
        #expect(table.connectionCount == 3)
        let a = indexes["a"] ?? 0
        var next = table.next(after: a)
        #expect(next == nil)
        table.leave(a)
        next = table.next(after: a)
        #expect(next?.waiter == "b")
        next = table.next(after: a)
        #expect(next == nil)
        var order: [String] = []
        var active = [a, indexes["b"] ?? 0, indexes["b"] ?? 0]
        while let index = active.popLast() {
            table.leave(index)
            while let next = table.next(after: index) {
                order.append(next.waiter)
                active.append(next.origin)
            }
        }
        // An origin whose connection is open goes on with it.
        #expect(order == ["c", "c", "c", "d"])
        #expect(table.connectionCount == 0)
    }

    @Test("An origin goes on with its connection for eight requests, while others wait for one")
    func turn() {
        var table = AdmissionTable<String>(connectionLimit: 2)
        table.totalConnectionLimit = 1
        var index = 0
        for arrival in 0..<60 {
            let name = arrival < 40 ? "a" : "b"
            if case .admitted(let origin) = table.enter(name, origin: name, priority: 0, arrival: UInt64(arrival)) {
                index = origin
            }
        }
        var order = ""
        repeat {
            table.leave(index)
            let next = table.next(after: index)
            index = next?.origin ?? index
            order += next?.waiter ?? ""
        } while table.connectionCount > 0
        let turns = [("a", 8), ("b", 9), ("a", 9), ("b", 9), ("a", 9), ("b", 2), ("a", 13)]
        #expect(order == turns.map { String(repeating: $0, count: $1) }.joined())
    }

    @Test("The streams of an HTTP/2 origin count as the connections they need")
    func totalOfStreams() {
        var table = AdmissionTable<Int>(connectionLimit: 6)
        table.totalConnectionLimit = 2
        guard case .admitted(let index) = table.enter(0, origin: "a", priority: 0, arrival: 0) else {
            Issue.record("no slot")
            return
        }
        #expect(table.noteVersion(at: index, isHTTP2: true) == true)
        for number in 1..<100 {
            guard case .admitted = table.enter(number, origin: "a", priority: 0, arrival: UInt64(number)) else {
                Issue.record("\(number) waits")
                return
            }
        }
        #expect(table.connectionCount == 1)
        #expect(table.noteVersion(at: index, isHTTP2: false) == true)
        #expect(table.connectionCount == 100)
        #expect(table.noteVersion(at: index, isHTTP2: false) == false)
    }

    @Test("Origins that nothing goes on at are forgotten, others are not")
    func pruning() {
        var host = Host(limit: 1)
        _ = host.enter("busy", origin: "http://busy")
        let busy = host.enter("waiting", origin: "http://busy")
        for number in 0..<2000 { _ = host.index("http://\(number)") }
        #expect(host.table.activeCount("http://busy") == 1)
        let left = busy.flatMap { host.table.withdraw($0) }
        #expect(left == "waiting")
        #expect(host.index("http://last") < 600)
    }

    @Test("Everybody who waits can be sent away")
    func removeAll() {
        var host = Host(limit: 1)
        for number in 0..<4 { _ = host.enter("\(number)", origin: "http://\(number % 2)") }
        #expect(host.table.contended.count == 2)
        #expect(Set(host.table.removeAllWaiters()) == ["2", "3"])
        #expect(host.table.contended.isEmpty)
    }

    @Test("Numbers leave a list of recency in the order in which they came, and from anywhere")
    func recency() {
        var list = RecencyList()
        #expect(list.first == nil)
        for number in [5, 2, 9, 2] { list.append(number) }
        #expect(list.count == 3)
        list.remove(2)
        list.remove(2)
        list.remove(77)
        list.append(2)
        var order: [Int] = []
        while let first = list.first {
            order.append(first)
            list.remove(first)
        }
        #expect(order == [5, 9, 2])
        #expect(list.count == 0)
    }
}
