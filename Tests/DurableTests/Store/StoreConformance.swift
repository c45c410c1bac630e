// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworkingDurable
import TestServer
import Testing

/// What has to hold for every `RequestStore`. Each store's tests run all parts, each with a new store.
struct StoreConformance: Sendable, CustomTestStringConvertible {
    let name: String
    let check: @Sendable (any RequestStore) async throws -> Void

    var testDescription: String { name }

    static let all: [StoreConformance] = adding + leasing + recording + ending + reports

    // MARK: Helpers

    static func request(
        _ name: String, host: String = "a.example:80", group: String? = nil,
        after dependencies: [DurableRequest.Dependency] = [], priority: Int = 0
    ) throws -> StoredRequest {
        var request = StoredRequest(id: try .init(name: name), host: host, content: Data(name.utf8))
        request.group = group
        request.dependencies = dependencies
        request.priority = priority
        return request
    }

    static func id(_ name: String) throws -> DurableRequest.ID { try .init(name: name) }

    static let result = StoredResult(summary: Data("summary".utf8), content: Data("content".utf8))

    /// The names of the requests that a worker gets.
    static func lease(
        _ store: any RequestStore, _ worker: String = "w1", limit: Int = 100, duration: TimeInterval = 60,
        perHost: Int? = nil
    ) async throws -> [(name: String, lease: RequestLease)] {
        let grant = try await store.lease(
            LeaseDemand(worker: worker, limit: limit, duration: duration, maximumPerHost: perHost))
        return grant.requests.map { (String(decoding: $0.content, as: UTF8.self), $0.lease) }
    }

    static func state(_ store: any RequestStore, _ name: String) async throws -> DurableRequest.State? {
        try await store.record(of: id(name))?.state
    }
}

extension StoreConformance {
    static let adding: [StoreConformance] = [
        StoreConformance(name: "an addition that is repeated is there once") { (store: any RequestStore) async throws in
            #expect(try await store.add([try request("a"), try request("b")]) == 2)
            #expect(try await store.add([try request("b"), try request("c")]) == 1)
            #expect(try await store.counts(inGroup: nil) == RequestCounts([.ready: 3]))
            let record = try #require(try await store.record(of: try id("a")))
            #expect(record.content == Data("a".utf8) && record.failures == 0 && record.end == nil)
            #expect(abs(record.addition.timeIntervalSinceNow) < 60)
        },
        StoreConformance(name: "an unknown dependency is refused, and nothing is added") {
            (store: any RequestStore) async throws in
            let error = await #expect(throws: RequestStoreError.self) {
                try await store.add([try request("a"), try request("b", after: [.init(try id("x"))])])
            }
            #expect(error?.code == .unknownDependency)
            let unknown = try id("x")
            #expect(error?.ids == [unknown])
            #expect(try await store.counts(inGroup: nil).total == 0)
        },
        StoreConformance(name: "a cycle is refused") { (store: any RequestStore) async throws in
            let error = await #expect(throws: RequestStoreError.self) {
                try await store.add([
                    try request("a", after: [.init(try id("b"))]), try request("b", after: [.init(try id("c"))]),
                    try request("c", after: [.init(try id("b"))]),
                ])
            }
            #expect(error?.code == .dependencyCycle && error?.ids.count == 3)
            #expect(try await store.counts(inGroup: nil).total == 0)
        },
        StoreConformance(name: "dependencies may come later in the addition, and have ended before it") {
            (store: any RequestStore) async throws in
            _ = try await store.add([try request("b", after: [.init(try id("a"))]), try request("a")])
            #expect(try await state(store, "b") == .waiting)
            let lease = try #require(try await lease(store).first)
            #expect(lease.name == "a")
            _ = try await store.record([AttemptOutcome(lease.lease, .failed(result))], worker: "w1")
            #expect(try await state(store, "b") == .skipped)
            _ = try await store.add([
                try request("c", after: [.init(try id("a"))]),
                try request("d", after: [.init(try id("a"), .inAnyCase)]),
                try request("e", after: [.init(try id("c"))]),
            ])
            #expect(try await state(store, "c") == .skipped)
            #expect(try await state(store, "d") == .ready)
            #expect(try await state(store, "e") == .skipped)
        },
        StoreConformance(name: "records come in pages, in the order of addition") {
            (store: any RequestStore) async throws in
            for name in ["a", "b", "c", "d"] { _ = try await store.add([try request(name, group: "g")]) }
            _ = try await store.add([try request("x")])
            let first = try await store.records(inGroup: "g", after: nil, limit: 3)
            #expect(first.map(\.id) == [try id("a"), try id("b"), try id("c")])
            let rest = try await store.records(inGroup: "g", after: first.last?.id, limit: 3)
            #expect(rest.map(\.id) == [try id("d")])
            #expect(try await store.records(inGroup: nil, after: nil, limit: 10).count == 5)
        },
    ]

    static let leasing: [StoreConformance] = [
        StoreConformance(name: "the most urgent comes first, equal ones as they were added") {
            (store: any RequestStore) async throws in
            _ = try await store.add([
                try request("low", priority: -4), try request("a"), try request("high", priority: 4), try request("b"),
            ])
            #expect(try await lease(store, limit: 3).map(\.name) == ["high", "a", "b"])
            #expect(try await lease(store).map(\.name) == ["low"])
            #expect(try await lease(store).isEmpty)
        },
        StoreConformance(name: "two workers never get the same request") { (store: any RequestStore) async throws in
            _ = try await store.add(try (0..<200).map { try request("r\($0)") })
            let names = try await withThrowingTaskGroup(of: [String].self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        var names: [String] = []
                        while true {
                            let some = try await lease(store, "w\(worker)", limit: 7).map(\.name)
                            guard !some.isEmpty else { return names }
                            names += some
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(names.count == 200 && Set(names).count == 200)
        },
        StoreConformance(name: "the limit for a host holds over all workers") {
            (store: any RequestStore) async throws in
            _ = try await store.add(try (0..<6).map { try request("a\($0)") })
            _ = try await store.add(try (0..<3).map { try request("b\($0)", host: "b.example:80") })
            #expect(try await lease(store, "w1", perHost: 2).map(\.name) == ["a0", "a1", "b0", "b1"])
            let second = try await lease(store, "w2", perHost: 3)
            #expect(second.map(\.name) == ["a2", "b2"])
            #expect(try await lease(store, "w3", perHost: 3).isEmpty)
            _ = try await store.record([AttemptOutcome(second[0].lease, .succeeded(result))], worker: "w2")
            #expect(try await lease(store, "w3", perHost: 3).map(\.name) == ["a3"])
        },
        StoreConformance(name: "many requests that wait for their host hold up no other") {
            (store: any RequestStore) async throws in
            _ = try await store.add(try (0..<500).map { try request("a\($0)", priority: 1) })
            _ = try await store.add([try request("b", host: "b.example:80")])
            let leases = try await lease(store, perHost: 1)
            #expect(leases.map(\.name) == ["a0", "b"])
        },
        StoreConformance(name: "a host's Retry-After holds for all workers") { (store: any RequestStore) async throws in
            _ = try await store.add([try request("a"), try request("b"), try request("c", host: "c.example:80")])
            let leases = try await lease(store, "w1", limit: 1)
            _ = try await store.record(
                [AttemptOutcome(leases[0].lease, .retry(delay: 0, result), hostPause: 0.6)], worker: "w1")
            let grant = try await store.lease(LeaseDemand(worker: "w2", limit: 9, duration: 60))
            #expect(grant.requests.map(\.content) == [Data("c".utf8)])
            #expect(try #require(grant.delay) <= 0.6)
            let rest = try await eventually {
                try await lease(store, "w2").map(\.name)
            } until: {
                !$0.isEmpty
            }
            #expect(Set(rest) == ["a", "b"])
        },
        StoreConformance(name: "a lease that its worker says it has is renewed, not lost") {
            (store: any RequestStore) async throws in
            _ = try await store.add([try request("a"), try request("b")])
            let first = try await lease(store, "w1", limit: 1, duration: 0)
            var demand = LeaseDemand(worker: "w1", limit: 9, duration: 60)
            demand.held = first.map(\.lease)
            #expect(try await store.lease(demand).requests.map(\.content) == [Data("b".utf8)])
            // Nobody else gets it, either.
            #expect(try await lease(store, "w2").isEmpty)
            #expect(try await store.record(of: id("a"))?.losses == 0)
            let fate = try await store.record([AttemptOutcome(first[0].lease, .succeeded(result))], worker: "w1")
            if case .recorded(.succeeded, _) = fate[0] {} else { Issue.record("\(fate)") }
        },
        StoreConformance(name: "another worker's lease cannot be held") { (store: any RequestStore) async throws in
            _ = try await store.add([try request("a")])
            let first = try await lease(store, "w1", duration: 0)
            var demand = LeaseDemand(worker: "w2", limit: 9, duration: 60)
            demand.held = first.map(\.lease)
            #expect(try await store.lease(demand).requests.count == 1)
        },
        StoreConformance(name: "a demand may be without a limit") { (store: any RequestStore) async throws in
            _ = try await store.add([try request("a"), try request("b")])
            #expect(try await lease(store, limit: .max, perHost: .max).count == 2)
        },
        StoreConformance(name: "no lease is of more than ten thousand") { (store: any RequestStore) async throws in
            _ = try await store.add(try (0..<10_002).map { try request("\($0)") })
            #expect(try await lease(store, limit: .max).count == 10_000)
            #expect(try await lease(store, limit: .max, perHost: .max).count == 2)
        },
        StoreConformance(name: "a time to wait for is waited for, and said") { (store: any RequestStore) async throws in
            var later = try request("later")
            let delay = 0.4 * Patience.factor
            later.delay = delay
            _ = try await store.add([later])
            let grant = try await store.lease(LeaseDemand(worker: "w1", limit: 1, duration: 60))
            #expect(grant.requests.isEmpty && grant.hasOpenRequests)
            #expect((0.01...delay).contains(try #require(grant.delay)))
            _ = try await eventually {
                try await lease(store)
            } until: {
                !$0.isEmpty
            }
        },
    ]
}
