// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworkingDurable
import Testing

/// Public reports about other queues, with the project and the number of each.
extension StoreConformance {
    static let reports: [StoreConformance] = [
        StoreConformance(name: "bullmq#4248: one that waits for several in any case waits for all of them") {
            (store: any RequestStore) async throws in
            let names = ["a", "b", "c"]
            _ = try await store.add(try names.map { try request($0) })
            _ = try await store.add([
                try request("last", after: try names.map { .init(try id($0), .inAnyCase) })
            ])
            let leases = try await lease(store)
            for (number, lease) in leases.enumerated() {
                #expect(try await state(store, "last") == .waiting)
                let outcome: AttemptOutcome.Disposition = number == 0 ? .failed(result) : .succeeded(result)
                _ = try await store.record([AttemptOutcome(lease.lease, outcome)], worker: "w1")
            }
            #expect(try await state(store, "last") == .ready)
        },
        StoreConformance(name: "bullmq#2464: what waits for one that was lost too often is judged") {
            (store: any RequestStore) async throws in
            var poison = try request("poison")
            poison.maximumLosses = 0
            _ = try await store.add([
                poison, try request("only", after: [.init(poison.id)]),
                try request("after", after: [.init(try id("only"), .inAnyCase)]),
            ])
            _ = try await lease(store, duration: 0.02)
            _ = try await eventually {
                try await lease(store).map(\.name)
            } until: {
                $0 == ["after"]
            }
            #expect(try await state(store, "only") == .skipped)
        },
        StoreConformance(name: "fossology#3852: what is added while its dependency fails does not wait for ever") {
            (store: any RequestStore) async throws in
            for round in 0..<40 {
                let first = try request("first \(round)")
                _ = try await store.add([first])
                let lease = try #require(try await lease(store).first).lease
                async let recorded = store.record([AttemptOutcome(lease, .failed(result))], worker: "w1")
                for number in 0..<5 {
                    _ = try await store.add([try request("\(round) \(number)", after: [.init(first.id)])])
                }
                _ = try await recorded
                for number in 0..<5 { #expect(try await state(store, "\(round) \(number)") == .skipped) }
            }
        },
        StoreConformance(name: "lib/pq#716, node-postgres#1463: more requests at once than a statement takes values") {
            (store: any RequestStore) async throws in
            let count = 40_000
            let requests = try (0..<count).map { number in
                try request("\(number)", after: number < 100 ? [] : [.init(try id("\(number - 100)"))])
            }
            #expect(try await store.add(requests) == count)
            #expect(try await store.counts(inGroup: nil) == RequestCounts([.ready: 100, .waiting: count - 100]))
            let cancelled = try await store.cancel(requests.dropFirst(100).map(\.id))
            #expect(cancelled == CancellationCounts(ended: count - 100))
        },
    ]

    /// pg-boss#282, pg-boss#133, delayed_job_mongoid#91: workers that do everything at once, in any order, wait for each
    /// other, but not for ever.
    static func manyWorkers(_ stores: [any RequestStore]) async throws {
        let names = (0..<300).map { "r\($0)" }
        let ends = try await withThrowingTaskGroup(of: [DurableRequest.ID].self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    var ends: [DurableRequest.ID] = []
                    for round in 0..<30 {
                        // All workers add the same requests, each in another order.
                        let part = names[(round * 10)..<(round * 10 + 10)]
                        let order = number % 2 == 0 ? Array(part) : part.reversed()
                        _ = try await store.add(
                            try order.map { try request($0, host: "\($0.utf8.last ?? 0).example:80", group: "g") })
                        let worker = "w\(number)"
                        let leases = try await lease(store, worker, limit: 7, perHost: 3).map(\.lease)
                        _ = try await store.renew(leases.reversed(), worker: worker, duration: 60)
                        if round % 10 == number { _ = try await store.cancel(try part.shuffled().map { try id($0) }) }
                        let outcomes = leases.shuffled().map { AttemptOutcome($0, .succeeded(result)) }
                        for (outcome, fate) in zip(outcomes, try await store.record(outcomes, worker: worker)) {
                            if case .recorded(.succeeded, _) = fate { ends.append(outcome.lease.id) }
                        }
                        if round % 5 == number { _ = try await store.purge(endedBefore: 60) }
                    }
                    return ends
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(ends).count == ends.count, "an end was recorded twice")
        let counts = try await stores[0].counts(inGroup: "g")
        #expect(counts.total == names.count)
        #expect(counts[.succeeded] == ends.count)
        #expect(counts[.running] == 0)
    }
}
