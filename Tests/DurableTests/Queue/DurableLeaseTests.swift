// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

@testable import OperationNetworkingDurable

@Suite("What a worker has leased", .timeLimit(.minutes(2)))
struct DurableLeaseTests {
    let setup: DurableSetup

    init() throws {
        setup = try DurableSetup()
    }

    enum Ending: CaseIterable, Sendable { case drain, cancellation }

    @Test("What is leased while the run is told to take no more is given back unsent", arguments: Ending.allCases)
    func endedWhileLeasing(ending: Ending) async throws {
        setup.server.respondToOthers { _ in .ok() }
        let store = InterruptedStore(store: setup.store)
        let queue = DurableRequestQueue(store: store, manager: setup.queue().manager)
        let id = try await queue.add(setup.request("/a"))
        let run = Task { try await queue.run() }
        store.interruption.withLock {
            $0 = {
                switch ending {
                case .drain: queue.run.withLock { $0 }?.drain(timeout: nil)
                case .cancellation: run.cancel()
                }
            }
        }
        store.mayLease.open()
        _ = await run.result
        #expect(setup.paths.isEmpty)
        let record = try await setup.store.record(of: id)
        #expect(record?.state == .ready && record?.losses == 0)
    }

    @Test("What runs keeps its lease while many late requests are told of")
    func renewedWhileTelling() async throws {
        let gate = Gate()
        defer { gate.open() }
        setup.server.respondToOthers { _ in .stalled(until: gate) }
        let store = SlowRecords(store: setup.store)
        var configuration = DurableRequestQueue.Configuration()
        configuration.leaseDuration = 0.5
        let queue = DurableRequestQueue(
            store: store, manager: setup.queue().manager, configuration: configuration)
        let slow = try await queue.add(setup.request("/slow"))
        let events = queue.events
        let run = Task { try await queue.run() }
        _ = try await setup.server.nextRequest()
        let late = (0..<100).map { _ in
            var request = DurableRequest(setup.request("/late"))
            request.timeToDeadline = 0
            return request
        }
        try await queue.add(late)
        await store.isTelling.wait()
        // A worker of another process, which takes what has run out.
        let other = setup.queue(
            try SQLiteRequestStore(url: setup.directory.file("requests.sqlite"), pollInterval: 0.02))
        let otherRun = Task { try await other.run() }
        var count = 0
        for await event in events {
            if case .failed = event { count += 1 }
            if count == 100 { break }
        }
        #expect(setup.paths == ["/slow"])
        gate.open()
        try await run.value
        try await otherRun.value
        let record = try await setup.store.record(of: slow)
        #expect(record?.state == .succeeded && record?.losses == 0)
    }
}

/// A store that leases when a gate is opened, and calls what was set when it has leased something.
private struct InterruptedStore: WrappedStore {
    let store: SQLiteRequestStore
    let mayLease = EndGate()
    let interruption = Locked<(@Sendable () -> Void)?>(nil)

    func lease(_ demand: LeaseDemand) async throws -> LeaseGrant {
        await mayLease.wait()
        let grant = try await store.lease(demand)
        if !grant.requests.isEmpty, let body = interruption.withLock({ $0.take() }) { body() }
        return grant
    }
}

/// A store over a slow network.
private struct SlowRecords: WrappedStore {
    let store: SQLiteRequestStore
    let isTelling = EndGate()

    func record(of id: DurableRequest.ID) async throws -> RequestRecord? {
        isTelling.open()
        try await Task.sleep(for: .milliseconds(20))
        return try await store.record(of: id)
    }
}
