// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingDurable

@Suite(.timeLimit(.minutes(2)))
struct SQLiteRequestStoreTests {
    let directory: TemporaryDirectory
    var url: URL { directory.url.appendingPathComponent("requests.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: StoreConformance.all)
    func conforms(_ conformance: StoreConformance) async throws {
        let store = try SQLiteRequestStore(url: url, pollInterval: 0.02)
        try await conformance.check(store)
        await store.close()
    }

    @Test(arguments: StoreConformance.all.prefix(12))
    func conformsAfterEachReopening(_ conformance: StoreConformance) async throws {
        try await conformance.check(ReopenedStore(url: url))
    }

    @Test func manyWorkersWaitForEachOther() async throws {
        let stores = try (0..<5).map { _ in try SQLiteRequestStore(url: url, pollInterval: 0.02) }
        try await StoreConformance.manyWorkers(stores)
        for store in stores { await store.close() }
    }

    /// FlagGems#6387: SQLite's busy handler is not asked while a log is set up.
    @Test func manyMayMakeTheFileAtOnce() async throws {
        for round in 0..<40 {
            let file = directory.file("round\(round).sqlite")
            let stores = try await withThrowingTaskGroup(of: SQLiteRequestStore.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await withCheckedThrowingContinuation { continuation in
                            Thread.detachNewThread {
                                continuation.resume(with: Result { try SQLiteRequestStore(url: file) })
                            }
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (number, store) in stores.enumerated() {
                _ = try await store.add([try StoreConformance.request("\(number)")])
            }
            #expect(try await stores[0].counts(inGroup: nil).total == 8)
            for store in stores { await store.close() }
        }
    }

    @Test func onlyThisUserMayReadTheFiles() async throws {
        let store = try SQLiteRequestStore(url: url)
        _ = try await store.add([try StoreConformance.request("a")])
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(names.count == 3)
        for name in names {
            var status = stat()
            #expect(stat(directory.url.appendingPathComponent(name).path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test func whenItIsClosedOnlyTheFileIsLeft() async throws {
        for number in 0..<20 {
            let store = try SQLiteRequestStore(url: url)
            _ = try await store.add([try StoreConformance.request("\(number)")])
            await store.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["requests.sqlite"])
        }
    }

    @Test func changesOfAnotherConnectionAreTold() async throws {
        let (first, second) = (
            try SQLiteRequestStore(url: url, pollInterval: 0.02), try SQLiteRequestStore(url: url, pollInterval: 0.02)
        )
        var changes = first.changes().makeAsyncIterator()
        // The first look, which has nothing to compare with.
        #expect(await changes.next() != nil)
        _ = try await second.add([try StoreConformance.request("a")])
        #expect(await changes.next() != nil)
    }

    @Test func aClockThatIsSetBackMakesNothingLastLonger() async throws {
        let store = try SQLiteRequestStore(url: url)
        _ = try await store.add([try StoreConformance.request("a"), try StoreConformance.request("b")])
        let leases = try await StoreConformance.lease(store, duration: 30)
        _ = try await store.record(
            [AttemptOutcome(leases[1].lease, .retry(delay: 20, StoreConformance.result), hostPause: 10)], worker: "w1")
        try await store.calls.perform { $0.clock = { Date().timeIntervalSince1970 - 86_400 } }
        let grant = try await store.lease(LeaseDemand(worker: "w2", limit: 9, duration: 60))
        #expect(grant.requests.isEmpty)
        #expect((15...20).contains(try #require(grant.delay)))
    }

    /// What was added, and waits, while the clock was wrong.
    @Test func aClockThatWasWrongAtTheAdditionMakesNothingLastLonger() async throws {
        let store = try SQLiteRequestStore(url: url)
        _ = try await StoreConformance.lease(store)
        try await store.calls.perform { $0.clock = { Date().timeIntervalSince1970 + 86_400 } }
        var delayed = try StoreConformance.request("delayed")
        delayed.delay = 20
        var waiting = try StoreConformance.request("waiting", after: [.init(try StoreConformance.id("first"))])
        waiting.delay = 20
        var late = try StoreConformance.request("late", after: [.init(try StoreConformance.id("first"))])
        late.timeToDeadline = 30
        _ = try await store.add([try StoreConformance.request("first", priority: 1), delayed, waiting, late])
        try await store.calls.perform { $0.clock = { Date().timeIntervalSince1970 } }
        let grant = try await store.lease(LeaseDemand(worker: "w", limit: 9, duration: 60))
        #expect(grant.requests.map(\.content) == [Data("first".utf8)])
        #expect((15...20).contains(try #require(grant.delay)))
        _ = try await store.record(
            [AttemptOutcome(grant.requests[0].lease, .succeeded(StoreConformance.result))], worker: "w")
        #expect(try await StoreConformance.state(store, "waiting") == .scheduled)
        let next = try await store.lease(LeaseDemand(worker: "w", limit: 9, duration: 60))
        #expect((25...30).contains(try #require(next.requests.first?.timeToDeadline)))
        try await store.calls.perform { $0.clock = { Date().timeIntervalSince1970 + 21 } }
        #expect(try await StoreConformance.lease(store).map(\.name) == ["delayed", "waiting"])
    }

    @Test func manyThatAreLateLeaveNoStatementEach() async throws {
        let store = try SQLiteRequestStore(url: url)
        let requests = try (0..<200).map { number in
            var request = try StoreConformance.request("\(number)")
            request.timeToDeadline = 0
            return request
        }
        _ = try await store.add(requests)
        #expect(try await store.lease(LeaseDemand(worker: "w", limit: 9, duration: 60)).ended.count == 200)
        #expect(try await store.calls.perform { $0.connection.statements.count } < 60)
    }

    @Test func timesThatAreNoneAreBounded() async throws {
        for time in [Double.infinity, -.infinity, .nan, 1e300] {
            let store = try SQLiteRequestStore(url: url, busyTimeout: time, pollInterval: time)
            var changes = store.changes().makeAsyncIterator()
            _ = try await store.add([try StoreConformance.request("\(time)")])
            #expect(await changes.next() != nil)
            await store.close()
        }
    }

    @Test func additionsAtOnceShareTransactions() async throws {
        let store = try SQLiteRequestStore(url: url)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask { _ = try await store.add([try StoreConformance.request("\(number)")]) }
            }
            // One that is refused takes no other with it.
            group.addTask {
                await #expect(throws: RequestStoreError.self) {
                    try await store.add([
                        try StoreConformance.request("x", after: [.init(try StoreConformance.id("nothing"))])
                    ])
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.counts(inGroup: nil) == RequestCounts([.ready: 1000]))
    }
}

/// Every call opens the file anew: what is not in it is not there.
struct ReopenedStore: RequestStore {
    let url: URL

    private func once<Result: Sendable>(
        _ body: @Sendable (SQLiteRequestStore) async throws -> Result
    ) async throws -> Result {
        let store = try SQLiteRequestStore(url: url)
        do {
            let result = try await body(store)
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }

    func add(_ requests: [StoredRequest]) async throws -> Int { try await once { try await $0.add(requests) } }
    func lease(_ demand: LeaseDemand) async throws -> LeaseGrant { try await once { try await $0.lease(demand) } }
    func renew(_ leases: [RequestLease], worker: String, duration: TimeInterval) async throws -> LeaseRenewal {
        try await once { try await $0.renew(leases, worker: worker, duration: duration) }
    }
    func record(_ outcomes: [AttemptOutcome], worker: String) async throws -> [RecordedOutcome] {
        try await once { try await $0.record(outcomes, worker: worker) }
    }
    func cancel(group: String) async throws -> CancellationCounts {
        try await once { try await $0.cancel(group: group) }
    }
    func cancel(_ ids: [DurableRequest.ID]) async throws -> CancellationCounts {
        try await once { try await $0.cancel(ids) }
    }
    func record(of id: DurableRequest.ID) async throws -> RequestRecord? {
        try await once { try await $0.record(of: id) }
    }
    func content(of id: DurableRequest.ID) async throws -> Data? { try await once { try await $0.content(of: id) } }
    func records(
        inGroup group: String?, after previous: DurableRequest.ID?, limit: Int
    ) async throws -> [RequestRecord] {
        try await once { try await $0.records(inGroup: group, after: previous, limit: limit) }
    }
    func counts(inGroup group: String?) async throws -> RequestCounts {
        try await once { try await $0.counts(inGroup: group) }
    }
    func purge(endedBefore age: TimeInterval) async throws -> Int {
        try await once { try await $0.purge(endedBefore: age) }
    }
    func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    func close() async {}
}
