// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import OperationNetworkingDurable
import TestServer
import Testing

/// Public reports about queues of jobs and of requests that survive, with the project and the number of each.
///
/// Workers that are killed, of which most reports are (graphile/worker#204, rq#2015, swift-jobs#91, workbox#2599), are in
/// `KillTests`; what a store decides is in `StoreConformance.reports`.
@Suite(.timeLimit(.minutes(1)))
struct DurableReports {
    private let setup: DurableSetup
    private var server: TestServer { setup.server }

    init() throws {
        setup = try DurableSetup()
    }

    /// A worker with a connection of its own.
    private func worker(
        _ configure: (inout DurableRequestQueue.Configuration) -> Void = { _ in }
    ) throws -> DurableRequestQueue {
        setup.queue(
            try SQLiteRequestStore(url: setup.directory.file("requests.sqlite"), pollInterval: 0.02), configure)
    }

    @Test("celery#5935, pretix#2058: one that takes longer than its lease is sent once")
    func longRequest() async throws {
        server.respondToOthers { _ in ScriptedResponse.ok("x").waiting(1.5, at: .beforeHead) }
        let workers = try (0..<2).map { _ in try worker { $0.leaseDuration = 0.3 } }
        let id = try await workers[0].add(setup.request("/long"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { try await worker.run() } }
            try await group.waitForAll()
        }
        #expect(try await workers[1].result(of: id)?.state == .succeeded)
        #expect(setup.paths == ["/long"])
    }

    @Test("celery#2599, vapor/queues#85: one whose time comes later than leases last is sent once, and not early")
    func delayed() async throws {
        server.respondToOthers { _ in .ok("x") }
        let workers = try (0..<2).map { _ in try worker { $0.leaseDuration = 0.2 } }
        var request = DurableRequest(setup.request("/later"))
        request.delay = 0.8
        let start = Date()
        try await workers[0].add([request])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { try await worker.run() } }
            try await group.waitForAll()
        }
        #expect(setup.paths == ["/later"])
        #expect(Date().timeIntervalSince(start) >= 0.8)
    }

    @Test("workbox#1984: the body of a POST is there for further attempts, under the same key")
    func body() async throws {
        server.enqueue(.status(503), .status(500), .ok("x"))
        let queue = try worker()
        var request = setup.request("/add", method: "POST")
        request.httpBody = Data("{\"a\": 1}".utf8)
        let id = try await queue.add(request)
        try await queue.run()
        #expect(try await queue.result(of: id)?.state == .succeeded)
        #expect(server.requests.map(\.body) == Array(repeating: Data("{\"a\": 1}".utf8), count: 3))
        let keys = server.requests.map { $0["Idempotency-Key"] }
        #expect(keys.count == 3 && keys[0] != nil && Set(keys).count == 1)
    }

    @Test("workbox#597, #3335: a server that is away for a while is asked again")
    func serverIsAway() async throws {
        server.enqueue(.script([.close]), .script([.close]), .script([.reset]), .ok("x"))
        let queue = try worker { $0.retryPolicy.maximumAttempts = 4 }
        let id = try await queue.add(setup.request("/a", method: "PATCH"))
        try await queue.run()
        let result = try #require(try await queue.result(of: id))
        #expect(result.state == .succeeded && result.failures == 3)
    }

    @Test("agents#243, awa#85: zero bytes in an error and in the program's data")
    func zeros() async throws {
        try await Self.checkZeros(setup.store, setup)
    }

    /// For every store.
    static func checkZeros(_ store: any RequestStore, _ setup: DurableSetup) async throws {
        struct Strange: LocalizedError {
            var errorDescription: String? { "boom\0 \u{FFFF} tail" }
        }
        struct Provider: DurableSecretProvider {
            func secrets(for reference: String, request: URLRequest) async throws -> DurableSecrets { throw Strange() }
        }
        var configuration = DurableRequestQueue.Configuration()
        configuration.secretProvider = Provider()
        configuration.retryPolicy = DurableRetryPolicy(maximumAttempts: 2, initialDelay: 0.01)
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        let queue = DurableRequestQueue(store: store, manager: manager, configuration: configuration)
        setup.server.respondToOthers { _ in .ok("a\0b") }
        var failing = DurableRequest(setup.request("/a"))
        failing.secretReference = "x"
        failing.context = Data([0, 0xFF, 0])
        let good = DurableRequest(setup.request("/b"))
        try await queue.add([failing, good])
        try await queue.run()
        let result = try #require(try await queue.result(of: failing.id))
        #expect(result.state == .failed && result.failures == 2)
        #expect(result.failure?.description == "boom\0 \u{FFFF} tail")
        #expect(result.context == Data([0, 0xFF, 0]))
        #expect(try await queue.content(of: good.id) == Data("a\0b".utf8))
    }
}
