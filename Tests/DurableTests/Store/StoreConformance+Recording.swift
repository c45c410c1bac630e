// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworkingDurable
import Testing

extension StoreConformance {
    static let recording: [StoreConformance] = [
        StoreConformance(name: "an end is recorded once, with its result") { (store: any RequestStore) async throws in
            _ = try await store.add([try request("a")])
            let first = try #require(try await lease(store).first).lease
            let outcome = AttemptOutcome(first, .succeeded(result))
            guard case .recorded(.succeeded, let ended) = try await store.record([outcome], worker: "w1")[0] else {
                Issue.record("not recorded")
                return
            }
            #expect(ended.isEmpty)
            guard case .leaseLost = try await store.record([outcome], worker: "w1")[0] else {
                Issue.record("recorded twice")
                return
            }
            #expect(try await store.record(of: first.id)?.summary == result.summary)
            #expect(try await store.content(of: first.id) == result.content)
            #expect(try await store.record(of: first.id)?.end != nil)
            #expect(try await lease(store).isEmpty)
        },
        StoreConformance(name: "a worker that lost its lease records nothing") {
            (store: any RequestStore) async throws in
            _ = try await store.add([try request("a")])
            let first = try #require(try await lease(store, "w1", duration: 0.05).first).lease
            let second = try await eventually {
                try await lease(store, "w2")
            } until: {
                !$0.isEmpty
            }
            #expect(second[0].lease.token > first.token)
            guard case .leaseLost = try await store.record([.init(first, .succeeded(result))], worker: "w1")[0] else {
                Issue.record("recorded over another's lease")
                return
            }
            #expect(try await store.renew([first], worker: "w1", duration: 60).lost == [first])
            #expect(try await state(store, "a") == .running)
            #expect(try await store.record(of: try id("a"))?.losses == 1)
            #expect(try await store.record(of: try id("a"))?.worker == "w2")
        },
        StoreConformance(name: "a lease that is renewed stays") { (store: any RequestStore) async throws in
            _ = try await store.add([try request("a")])
            let first = try #require(try await lease(store, "w1", duration: 0.3).first).lease
            let renewal = try await store.renew([first], worker: "w1", duration: 60)
            #expect(renewal.lost.isEmpty && renewal.cancelled.isEmpty)
            let grant = try await store.lease(LeaseDemand(worker: "w2", limit: 1, duration: 60))
            #expect(grant.requests.isEmpty && (grant.delay ?? 0) > 30)
        },
        StoreConformance(name: "what is given back is ready again, and nothing is counted") {
            (store: any RequestStore) async throws in
            _ = try await store.add([try request("a")])
            let first = try #require(try await lease(store).first).lease
            _ = try await store.record([AttemptOutcome(first, .released)], worker: "w1")
            let record = try #require(try await store.record(of: first.id))
            #expect(record.state == .ready && record.failures == 0 && record.losses == 0)
            #expect(try await lease(store, "w2").count == 1)
        },
        StoreConformance(name: "a retry waits for its back-off, and counts") { (store: any RequestStore) async throws in
            _ = try await store.add([try request("a")])
            let first = try #require(try await lease(store).first).lease
            _ = try await store.record([AttemptOutcome(first, .retry(delay: 60, result))], worker: "w1")
            let record = try #require(try await store.record(of: first.id))
            #expect(record.state == .scheduled && record.failures == 1 && record.summary == result.summary)
            #expect(try #require(record.earliestStart).timeIntervalSinceNow > 30)
        },
        StoreConformance(name: "a request that is lost too often fails") { (store: any RequestStore) async throws in
            var poison = try request("poison")
            poison.maximumLosses = 1
            _ = try await store.add([poison, try request("next", after: [.init(poison.id, .inAnyCase)])])
            for _ in 0..<2 {
                _ = try await eventually {
                    try await lease(store, duration: 0.02)
                } until: {
                    !$0.isEmpty
                }
            }
            let names = try await eventually {
                try await lease(store).map(\.name)
            } until: {
                !$0.isEmpty
            }
            #expect(names == ["next"])
            let record = try #require(try await store.record(of: poison.id))
            #expect(record.state == .failed && record.reason == .lostTooOften && record.losses == 2)
        },
        StoreConformance(name: "what is past its deadline fails") { (store: any RequestStore) async throws in
            var late = try request("late", after: [.init(try id("first"))])
            late.timeToDeadline = 0.2
            _ = try await store.add([try request("first"), late, try request("last", after: [.init(late.id)])])
            let first = try #require(try await lease(store).first).lease
            let ended = try await eventually {
                try await store.lease(LeaseDemand(worker: "w1", limit: 9, duration: 60)).ended
            } until: {
                !$0.isEmpty
            }
            #expect(ended.map(\.id) == [late.id, try id("last")])
            #expect(ended.first?.reason == .deadline && ended.last?.state == .skipped)
            _ = try await store.record([AttemptOutcome(first, .succeeded(result))], worker: "w1")
            #expect(try await state(store, "late") == .failed)
        },
    ]

    static let ending: [StoreConformance] = [
        StoreConformance(name: "ends are judged by their edges, in the same transaction") {
            (store: any RequestStore) async throws in
            _ = try await store.add([
                try request("a"), try request("b"),
                try request("both", after: [.init(try id("a")), .init(try id("b"))]),
                try request("any", after: [.init(try id("both"), .inAnyCase)]),
                try request("only", after: [.init(try id("both"))]),
                try request("end", after: [.init(try id("only")), .init(try id("any"))]),
            ])
            let leases = try await lease(store)
            #expect(leases.map(\.name) == ["a", "b"])
            _ = try await store.record([AttemptOutcome(leases[0].lease, .succeeded(result))], worker: "w1")
            #expect(try await state(store, "both") == .waiting)
            let outcome = try await store.record([AttemptOutcome(leases[1].lease, .failed(result))], worker: "w1")[0]
            guard case .recorded(.failed, let ended) = outcome else {
                Issue.record("not recorded")
                return
            }
            #expect(Set(ended.map(\.id)) == [try id("both"), try id("only"), try id("end")])
            #expect(ended.allSatisfy { $0.state == .skipped })
            #expect(try await lease(store).map(\.name) == ["any"])
        },
        StoreConformance(name: "a group is cancelled, also what runs elsewhere") {
            (store: any RequestStore) async throws in
            _ = try await store.add([
                try request("run", group: "g"), try request("b", group: "g", after: [.init(try id("run"))]),
                try request("c", group: "g"), try request("other", after: [.init(try id("c"), .inAnyCase)]),
                try request("skip", after: [.init(try id("c"))]),
            ])
            let first = try #require(try await lease(store, limit: 1).first).lease
            #expect(try await store.cancel(group: "g") == CancellationCounts(ended: 2, running: 1))
            #expect(try await state(store, "b") == .cancelled)
            #expect(try await state(store, "c") == .cancelled)
            #expect(try await state(store, "other") == .ready)
            #expect(try await state(store, "skip") == .skipped)
            #expect(try await store.renew([first], worker: "w1", duration: 60).cancelled == [first])
            _ = try await store.record([AttemptOutcome(first, .retry(delay: 5, result))], worker: "w1")
            #expect(try await state(store, "run") == .cancelled)
            #expect(try await store.cancel(group: "g") == CancellationCounts())
        },
        StoreConformance(name: "a cancelled request whose worker is gone ends") {
            (store: any RequestStore) async throws in
            _ = try await store.add([try request("a")])
            _ = try await lease(store, duration: 0.05)
            #expect(try await store.cancel([try id("a"), try id("nothing")]).running == 1)
            _ = try await eventually {
                try await store.lease(.init(worker: "w2", limit: 1, duration: 9)).ended
            } until: {
                $0.map(\.state) == [.cancelled]
            }
            #expect(try await store.lease(.init(worker: "w2", limit: 1, duration: 9)).hasOpenRequests == false)
        },
        StoreConformance(name: "results are readable until they are purged") { (store: any RequestStore) async throws in
            _ = try await store.add([try request("a"), try request("b")])
            let first = try #require(try await lease(store, limit: 1).first).lease
            _ = try await store.record([AttemptOutcome(first, .succeeded(result))], worker: "w1")
            #expect(try await store.purge(endedBefore: 60) == 0)
            #expect(try await store.content(of: first.id) != nil)
            let purged = try await eventually {
                try await store.purge(endedBefore: 0)
            } until: {
                $0 > 0
            }
            #expect(purged == 1)
            #expect(try await store.record(of: first.id) == nil)
            #expect(try await store.counts(inGroup: nil) == RequestCounts([.ready: 1]))
        },
        StoreConformance(name: "a change is told") { (store: any RequestStore) async throws in
            var changes = store.changes().makeAsyncIterator()
            _ = try await store.add([try request("a")])
            #expect(await changes.next() != nil)
            await store.close()
            while await changes.next() != nil {}
            let error = await #expect(throws: RequestStoreError.self) { try await lease(store) }
            #expect(error?.code == .closed)
        },
    ]
}
