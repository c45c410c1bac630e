// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import OperationNetworkingDurable

/// All tests against a server that they start. One after the other, because some of them stop it.
@Suite(
    .serialized, .timeLimit(.minutes(60)),
    .enabled("\(PostgresServer.obstacle ?? "")", { PostgresServer.obstacle == nil }))
struct PostgresRequestStoreTests {
    let server: PostgresServer
    let schema = PostgresServer.freshSchema()

    init() throws {
        server = try PostgresServer.shared.get()
    }

    func store(
        _ connection: String? = nil, statementTimeout: TimeInterval = 60, reconnectTimeout: TimeInterval = 30,
        pollInterval: TimeInterval = 60
    ) async throws -> PostgresRequestStore {
        try await PostgresRequestStore(
            connection ?? server.connection(), schema: schema, statementTimeout: statementTimeout,
            reconnectTimeout: reconnectTimeout, pollInterval: pollInterval)
    }

    @Test(arguments: StoreConformance.all)
    func conforms(_ conformance: StoreConformance) async throws {
        let store = try await store()
        try await conformance.check(store)
        await store.close()
    }

    @Test(arguments: StoreConformance.all.prefix(16))
    func conformsWhileTheServerEndsItsSessions(_ conformance: StoreConformance) async throws {
        let (store, killer) = (try await store(), try await store())
        try await conformance.check(DisconnectedStore(store: store, killer: killer))
        await store.close()
        await killer.close()
    }

    @Test func manyWorkersWaitForEachOther() async throws {
        var stores: [PostgresRequestStore] = []
        for _ in 0..<5 { stores.append(try await store()) }
        try await StoreConformance.manyWorkers(stores)
        for store in stores { await store.close() }
    }

    @Test("agents#243, awa#85: zero bytes in an error and in the program's data")
    func zeros() async throws {
        let store = try await store()
        try await DurableReports.checkZeros(store, try DurableSetup())
        await store.close()
    }

    @Test func changesOfAnotherProcessAreTold() async throws {
        let (first, second) = (try await store(), try await store())
        var changes = first.changes().makeAsyncIterator()
        // The first one says that it listens.
        _ = await changes.next()
        for name in ["a", "b", "c"] {
            _ = try await second.add([try StoreConformance.request(name)])
            let start = Date()
            #expect(await changes.next() != nil)
            #expect(Date().timeIntervalSince(start) < 30)
        }
        await first.close()
        await second.close()
    }

    @Test func withoutNotificationsChangesAreLookedFor() async throws {
        let store = try await store(pollInterval: 0.05)
        var changes = store.changes().makeAsyncIterator()
        for _ in 0..<4 { #expect(await changes.next() != nil) }
        await store.close()
    }

    // MARK: Many at once

    @Test func aRequestThatIsGivenBackWhileItsGroupIsMarkedIsFound() async throws {
        let (worker, store) = (try await store(), try await store())
        _ = try await worker.add([try StoreConformance.request("a", group: "g")])
        let lease = try #require(try await StoreConformance.lease(worker).first).lease
        let isHeld = Locked(false)
        async let held: Void = worker.calls.perform { session in
            _ = try session.record([AttemptOutcome(lease, .released)], worker: "w1")
            isHeld.withLock { $0 = true }
            // The other one waits for this transaction.
            var waits = false
            while !waits {
                try session.connection.run("SELECT EXISTS(SELECT 1 FROM pg_locks WHERE NOT granted)") {
                    waits = $0.bool(0)
                }
            }
        }
        _ = try await eventually {
            isHeld.withLock { $0 }
        } until: {
            $0
        }
        let open = try await store.calls.perform { try $0.markOpen(inGroup: "g", upTo: .max) }
        #expect(open == (running: 0, others: 1))
        try await held
        #expect(try await store.cancel(group: "g").ended == 1)
        #expect(try await StoreConformance.state(store, "a") == .cancelled)
        await worker.close()
        await store.close()
    }

    @Test func noDependentIsForgottenThatIsAddedWhileItsUpstreamEnds() async throws {
        let (adder, worker) = (try await store(), try await store())
        for round in 0..<60 {
            let upstream = try StoreConformance.request("up\(round)")
            _ = try await adder.add([upstream])
            let lease = try #require(try await StoreConformance.lease(worker).first).lease
            async let recorded = worker.record(
                [AttemptOutcome(lease, .succeeded(StoreConformance.result))], worker: "w1")
            async let added = adder.add([try StoreConformance.request("down\(round)", after: [.init(upstream.id)])])
            _ = try await (recorded, added)
            #expect(try await StoreConformance.state(adder, "down\(round)") == .ready)
            #expect(try await StoreConformance.lease(worker).count == 1)
        }
        await adder.close()
        await worker.close()
    }

    @Test func ofManyUpstreamsThatEndAtOnceNoneIsForgotten() async throws {
        let stores = [try await store(), try await store(), try await store()]
        let count = 30
        let upstreams = try (0..<count).map { try StoreConformance.request("u\($0)") }
        let edges = upstreams.map { DurableRequest.Dependency($0.id) }
        _ = try await stores[0].add(
            upstreams + (try (0..<count).map { try StoreConformance.request("d\($0)", after: edges.shuffled()) }))
        try await withThrowingTaskGroup { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    let worker = "w\(number)"
                    while true {
                        let leases = try await StoreConformance.lease(store, worker, limit: 3)
                        guard let first = leases.first, first.name.hasPrefix("u") else { return }
                        let outcomes = leases.reversed().map {
                            AttemptOutcome($0.lease, .succeeded(StoreConformance.result))
                        }
                        _ = try await store.record(outcomes, worker: worker)
                    }
                }
            }
            try await group.waitForAll()
        }
        let counts = try await stores[0].counts(inGroup: nil)
        #expect(counts[.waiting] == 0 && counts.total == 2 * count)
        for store in stores { await store.close() }
    }

    @Test func theLimitForAHostHoldsWhileAllWorkersLeaseAtOnce() async throws {
        let stores = [try await store(), try await store(), try await store(), try await store()]
        _ = try await stores[0].add(try (0..<200).map { try StoreConformance.request("r\($0)") })
        let running = Locked((now: 0, highest: 0, ended: 0))
        try await withThrowingTaskGroup { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    let worker = "w\(number)"
                    while running.withLock({ $0.ended }) < 200 {
                        let leases = try await StoreConformance.lease(store, worker, limit: 4, perHost: 5)
                        running.withLock {
                            $0.now += leases.count
                            $0.highest = max($0.highest, $0.now)
                        }
                        // Before the record: from then on others may lease.
                        running.withLock { $0.now -= leases.count }
                        _ = try await store.record(
                            leases.map { AttemptOutcome($0.lease, .succeeded(StoreConformance.result)) }, worker: worker
                        )
                        running.withLock { $0.ended += leases.count }
                    }
                }
                group.addTask {
                    while running.withLock({ $0.ended }) < 200 {
                        let counts = try await store.counts(inGroup: nil)
                        #expect(counts[.running] <= 5)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.withLock { $0.highest } <= 5)
        #expect(try await stores[0].counts(inGroup: nil) == RequestCounts([.succeeded: 200]))
        for store in stores { await store.close() }
    }

    @Test func additionsOfTheSameRequestsInAnyOrderAreThereOnce() async throws {
        let stores = [try await store(), try await store(), try await store()]
        let requests = try (0..<300).map { try StoreConformance.request("r\($0)") }
        let added = try await withThrowingTaskGroup(of: Int.self) { group in
            for store in stores { group.addTask { try await store.add(requests.shuffled()) } }
            return try await group.reduce(0, +)
        }
        #expect(added == 300)
        #expect(try await stores[0].counts(inGroup: nil) == RequestCounts([.ready: 300]))
        for store in stores { await store.close() }
    }

    @Test func ofCallsThatShareATransactionOneMayFail() async throws {
        let store = try await store()
        var bad = try StoreConformance.request("bad", group: "nul\u{0}")
        bad.body = Data([0, 1, 2])
        let requests = try (0..<20).map { try StoreConformance.request("r\($0)") } + [bad]
        let codes = await withTaskGroup(of: RequestStoreError.Code?.self) { group in
            for request in requests {
                group.addTask {
                    do {
                        _ = try await store.add([request])
                        return nil
                    } catch {
                        return (error as? RequestStoreError)?.code ?? .engine
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.compactMap { $0 } == [.unsuitableValue])
        #expect(try await store.counts(inGroup: nil).total == 20)
        await store.close()
    }
}

/// A store whose session the server ends before each call.
private struct DisconnectedStore: WrappedStore {
    let store: PostgresRequestStore
    let killer: PostgresRequestStore

    private func cut() async throws {
        _ = try await killer.calls.perform { session in
            try session.connection.run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = $1 AND pid <> pg_backend_pid()
                """, .text("OperationNetworkingDurable"))
        }
    }

    func add(_ requests: [StoredRequest]) async throws -> Int {
        try await cut()
        return try await store.add(requests)
    }
    func lease(_ demand: LeaseDemand) async throws -> LeaseGrant {
        try await cut()
        return try await store.lease(demand)
    }
    func renew(_ leases: [RequestLease], worker: String, duration: TimeInterval) async throws -> LeaseRenewal {
        try await cut()
        return try await store.renew(leases, worker: worker, duration: duration)
    }
    func record(_ outcomes: [AttemptOutcome], worker: String) async throws -> [RecordedOutcome] {
        try await cut()
        return try await store.record(outcomes, worker: worker)
    }
}
