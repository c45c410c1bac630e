// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworkingTesting
import OperationNetworkingTestingTraits
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// Tests in virtual time.
@Suite("Simulation", .timeLimit(.minutes(2)))
struct SimulationTests {
    @Test("Hours of back-off take no time, and go by the policy")
    func backOff() async throws {
        let start = ContinuousClock.now
        try await withSimulation(interleavings: 10) { simulation in
            let stubs = HTTPStubs()
            stubs.on(
                "GET", "/v1/x",
                respond: .sequence([
                    StubResponse(status: 503, headers: ["Retry-After": "1800"]),
                    StubResponse(status: 503, headers: ["Retry-After": "1800"]), .json([1]),
                ]))
            let manager = makeManager(stubs)
            manager.retryPolicy = RetryPolicy(
                backoff: .exponential(initial: 1, factor: 2, maximum: 3600))
            let value = try await manager.request("x").decoded([Int].self)
            #expect(value == [1])
            let elapsed = simulation.clock.now.offset
            #expect(elapsed >= .seconds(3600) && elapsed < .seconds(3610))
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test("Time-outs fire in virtual time", arguments: [true, false])
    func timeouts(isTotal: Bool) async throws {
        try await withSimulation(interleavings: 10) { simulation in
            let stubs = HTTPStubs()
            stubs.on("GET", "/v1/x", respond: StubResponse(body: Data(count: 100)).dripping(pieces: 1, every: 50))
            stubs.on("GET", "/v1/dead", respond: StubResponse(delay: 1e6))
            let manager = makeManager(stubs)
            if isTotal { manager.totalTimeout = 400 }
            let error = await manager.request(isTotal ? "x" : "dead").failure() as? URLError
            #expect(error?.code == .timedOut)
            #expect(simulation.clock.now.offset == .seconds(isTotal ? 400 : 60))
        }
    }

    @Test("One seed gives one order, and several give several")
    func seeds() async throws {
        func order(_ seed: UInt64) async throws -> [Int] {
            let order = Locked<[Int]>([])
            try await withSimulation(seed: seed) { _ in
                let stubs = HTTPStubs()
                stubs.on("GET", "/v1/{n}", respond: .text("x"))
                let manager = makeManager(stubs)
                manager.responseSerializer = HTTPResponseSerializer()
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<6 {
                        group.addTask {
                            _ = await manager.request("\(number)").failure()
                            order.withLock { $0.append(number) }
                        }
                    }
                }
            }
            return order.withLock { $0 }
        }
        var orders: Set<[Int]> = []
        for seed in UInt64(1)...8 {
            let first = try await order(seed)
            #expect(try await order(seed) == first)
            #expect(first.sorted() == Array(0..<6))
            orders.insert(first)
        }
        #expect(orders.count > 4)
    }

    @Test("A race that real time hides is found, and its seed replays it")
    func race() async throws {
        struct LastWins: Error {}
        let body: @Sendable (Simulation) async throws -> Void = { _ in
            let stubs = HTTPStubs()
            stubs.on("GET", "/v1/slow", respond: .text("slow"))
            stubs.on("GET", "/v1/fast", respond: .text("fast"))
            let manager = makeManager(stubs)
            manager.responseSerializer = HTTPResponseSerializer()
            let last = Locked("")
            async let slow: Void = {
                _ = await manager.request("slow").failure(); last.withLock { $0 = "slow" }
            }()
            async let fast: Void = {
                _ = await manager.request("fast").failure(); last.withLock { $0 = "fast" }
            }()
            _ = await (slow, fast)
            if last.withLock({ $0 }) == "slow" { throw LastWins() }
        }
        let error = await #expect(throws: SimulationError.self) { try await withSimulation(body) }
        let seed = try #require(error?.seed)
        #expect(error?.bodyError is LastWins)
        #expect(error?.description.contains("seed \(seed)") == true)
        for _ in 0..<3 {
            await #expect(throws: SimulationError.self) { try await withSimulation(seed: seed, body) }
        }
    }

    @Test("Queues, dependencies and cancellation keep their promises in every order")
    func queues() async throws {
        try await withSimulation(interleavings: 50) { _ in
            let stubs = HTTPStubs()
            stubs.on("GET", "/v1/{n}", respond: .text("0123456789").dripping(pieces: 3))
            let manager = makeManager(stubs)
            manager.responseSerializer = HTTPResponseSerializer()
            let operations = (0..<5).map { manager.request("\($0)") }
            for (first, second) in zip(operations, operations.dropFirst()) { second.addDependency(first) }
            operations.shuffled().forEach { manager.enqueue($0) }
            operations[3].cancel()
            var failures: [Bool] = []
            for operation in operations { failures.append(await operation.failure() != nil) }
            #expect(failures == [false, false, false, true, false])
            // The last one waits for the cancelled one only, which ends at once.
            let order = stubs.requests.map(\.url.lastPathComponent)
            #expect(order.filter { $0 != "4" } == ["0", "1", "2"] && order.contains("4"))
        }
    }

    @Test("Downloads to files work, though their order is not the seed's")
    func files() async throws {
        try await withSimulation(interleavings: 5) { _ in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            let stubs = HTTPStubs()
            stubs.on("GET", "/v1/x", respond: StubResponse(body: Data(count: 100_000), delay: 10))
            let operation = makeManager(stubs).request("x")
            operation.responseSerializer = HTTPResponseSerializer()
            operation.downloadDestination = DownloadDestination(fileURL: file)
            _ = try await operation.data()
            #expect(try Data(contentsOf: file).count == 100_000)
        }
    }

    @Test("Without stubs there is no network, and a body that waits in vain is given up")
    func limits() async throws {
        try await withSimulation(interleavings: 1) { _ in
            guard case .noStubs(let url)? = await makeManager().request("x").failure() as? SimulationError else {
                throw URLError(.unknown)
            }
            #expect(url == "https://api.example.org/v1/x")
        }
        let error = await #expect(throws: SimulationError.self) {
            try await withSimulation(interleavings: 1, standstill: 0.05) { _ in
                for await _ in AsyncStream<Void>.makeStream().stream {}
            }
        }
        guard case .stalled = error else { throw URLError(.unknown) }
    }

    @Test("An operation that a block makes has no network, either")
    func blocks() async throws {
        let server = try TestServer()
        server.respond(to: "/x", .ok("from the network"))
        let request = URLRequest(url: server.url("/x"))
        try await withSimulation(interleavings: 5) { _ in
            let stubs = HTTPStubs()
            stubs.on("GET", "/v1/x", respond: .json([1]))
            let (made, continuation) = AsyncStream<HTTPRequestOperation>.makeStream()
            let outer = try makeManager(stubs).makeOperation(
                method: "GET", "x",
                success: { _, _ in
                    continuation.yield(HTTPRequestOperation(request: request))
                })
            outer.start()
            for await inner in made {
                guard case .noStubs? = await inner.failure() as? SimulationError else { throw URLError(.unknown) }
                break
            }
        }
        #expect(server.requests.isEmpty)
    }

    @Test("An issue names the seed, and no other run follows", .simulationSeeds)
    func issues() async throws {
        let runs = Locked(0)
        try await withKnownIssue {
            try await withSimulation(interleavings: 20) { _ in
                runs.withLock { $0 += 1 }
                Issue.record("found")
            }
        } matching: { issue in
            issue.error is SimulationError || issue.comments.contains { $0.rawValue == "found" }
        }
        #expect(runs.withLock { $0 } == 1)
    }

    @Test("A body that never ends is cancelled with the test")
    func cancellation() async {
        let hasBegun = Latch()
        let task = Task {
            try await withSimulation { simulation in
                while true {
                    try await simulation.sleep(for: .seconds(1))
                    hasBegun.open()
                }
            }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                hasBegun.wait()
                continuation.resume()
            }
        }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
    }

    @Test("What a body leaves behind is cancelled")
    func leftovers() async throws {
        let left = Locked<HTTPRequestOperation?>(nil)
        try await withSimulation(interleavings: 1) { _ in
            let stubs = HTTPStubs()
            stubs.on("GET", "/v1/x", respond: StubResponse(delay: 100))
            let operation = makeManager(stubs).request("x")
            operation.start()
            try await stubs.waitForRequests(1)
            left.withLock { $0 = operation }
        }
        let operation = try #require(left.withLock { $0 })
        #expect(operation.isFinished)
        #expect((operation.error as? URLError)?.code == .cancelled)
    }

    @Test("What waits for another attempt when its body ends is cancelled")
    func leftInBackOff() async throws {
        let left = Locked<HTTPRequestOperation?>(nil)
        try await withSimulation(interleavings: 1) { simulation in
            let stubs = HTTPStubs()
            stubs.on("GET", "/v1/x", respond: StubResponse(status: 503, headers: ["Retry-After": "900"]))
            let manager = makeManager(stubs)
            manager.retryPolicy = RetryPolicy(backoff: .exponential(initial: 1, factor: 2, maximum: 3600))
            let operation = manager.request("x")
            operation.start()
            // The clock moves on when nothing else is left to happen.
            try await simulation.sleep(for: .seconds(100))
            #expect(stubs.requests.count == 1 && !operation.isFinished)
            left.withLock { $0 = operation }
        }
        let operation = try #require(left.withLock { $0 })
        #expect(operation.isFinished)
        #expect((operation.error as? URLError)?.code == .cancelled)
    }

    @Test("What is started when its simulation is over is cancelled")
    func startedLater() async throws {
        let left = Locked<HTTPRequestOperation?>(nil)
        try await withSimulation(interleavings: 1) { _ in
            let stubs = HTTPStubs()
            stubs.on("GET", "/v1/x", respond: StubResponse(delay: 100))
            let operation = makeManager(stubs).request("x")
            left.withLock { $0 = operation }
        }
        let operation = try #require(left.withLock { $0 })
        operation.start()
        try await eventually { operation.isFinished }
        #expect((operation.error as? URLError)?.code == .cancelled)
    }

    @Test("A program that asks anew whenever a request fails does not keep a run from ending")
    func endless() async throws {
        try await withSimulation(interleavings: 1) { _ in
            let stubs = HTTPStubs()
            stubs.on("GET", "/v1/x", respond: StubResponse(delay: 100))
            Self.askForEver(makeManager(stubs))
            try await stubs.waitForRequests(1)
        }
    }

    private static func askForEver(_ manager: HTTPRequestOperationManager) {
        manager.get("x", parameters: nil, success: nil, failure: { _, _ in Self.askForEver(manager) })
    }

    @Test("A token is refreshed once in every order")
    func refresh() async throws {
        try await withSimulation(interleavings: 30) { _ in
            let stubs = HTTPStubs()
            let refreshes = Locked(0)
            stubs.on("GET", "/v1/{n}", headers: ["Authorization": "Bearer new"], respond: .json([1]))
            stubs.on("GET", "/v1/{n}", respond: StubResponse(status: 401))
            let manager = makeManager(stubs)
            manager.interceptors = [
                TokenRefresher(token: "old") {
                    refreshes.withLock { $0 += 1 }
                    return "new"
                }
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 { group.addTask { _ = try await manager.request("\(number)").data() } }
                try await group.waitForAll()
            }
            #expect(refreshes.withLock { $0 } == 1)
        }
    }
}
