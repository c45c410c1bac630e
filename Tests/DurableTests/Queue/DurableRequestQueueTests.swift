// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

@testable import OperationNetworkingDurable

@Suite(.timeLimit(.minutes(2)))
struct DurableRequestQueueTests {
    let setup: DurableSetup
    var server: TestServer { setup.server }

    init() throws {
        setup = try DurableSetup()
    }

    @Test func requestsRunInTheOrderOfTheirGraph() async throws {
        server.respondToOthers { .ok($0.target) }
        server.respond(to: "/bad", .status(404))
        let queue = setup.queue()
        let login = try await queue.add(setup.request("/login"), group: "nightly")
        let list = try await queue.add(setup.request("/list"), group: "nightly", after: [login])
        let bad = try await queue.add(setup.request("/bad"), group: "nightly", after: [list], priority: .high)
        let skipped = try await queue.add(setup.request("/never"), group: "nightly", after: [bad])
        let report = try await queue.add(
            setup.request("/report"), group: "nightly", after: [list], inAnyCaseAfter: [bad, skipped])
        let events = queue.events
        try await queue.run()

        #expect(setup.paths == ["/login", "/list", "/bad", "/report"])
        let counts = try await queue.counts(inGroup: "nightly")
        #expect(counts == RequestCounts([.succeeded: 3, .failed: 1, .skipped: 1]))
        let result = try #require(try await queue.result(of: report))
        #expect(result.state == .succeeded && result.statusCode == 200 && result.content == .stored(size: 7))
        #expect(result.field("content-type") == "text/plain; charset=utf-8")
        #expect(try await queue.content(of: report) == Data("/report".utf8))
        let failure = try #require(try await queue.result(of: bad))
        #expect(failure.statusCode == 404 && failure.failure?.description.contains("404") == true)
        #expect(try await queue.result(of: skipped)?.state == .skipped)

        var names: [String] = []
        for await event in events {
            switch event {
            case .started: names.append("started")
            case .finished(_, let result): names.append("finished \(result.statusCode ?? 0)")
            case .failed: names.append("failed")
            case .skipped(let id): names.append(id == skipped ? "skipped" : "wrong")
            default: break
            }
        }
        #expect(
            names == [
                "started", "finished 200", "started", "finished 200", "started", "failed", "skipped", "started",
                "finished 200",
            ])
        // Ended is ended: another run sends nothing.
        try await setup.queue().run()
        #expect(setup.paths.count == 4)
    }

    @Test func anEndIsToldBeforeWhatItMakesReadyBegins() async throws {
        let queue = DurableRequestQueue(
            store: LateStore(store: setup.store, server: server), manager: setup.queue().manager)
        server.respondToOthers { .ok($0.target) }
        let first = try await queue.add(setup.request("/first"))
        try await queue.add(setup.request("/second"), after: [first])
        let events = queue.events
        try await queue.run()
        var names: [String] = []
        for await event in events {
            switch event {
            case .started(let id, _): names.append(id == first ? "started" : "second started")
            case .finished(let id, _): names.append(id == first ? "finished" : "second finished")
            default: break
            }
        }
        #expect(names == ["started", "finished", "second started", "second finished"])
    }

    @Test func whatIsLeasedBesideARecordThatFailsIsGivenBack() async throws {
        var configuration = DurableRequestQueue.Configuration()
        configuration.maximumConcurrentRequests = 1
        let queue = DurableRequestQueue(
            store: LateStore(store: setup.store, server: server, fails: true), manager: setup.queue().manager,
            configuration: configuration)
        server.respondToOthers { .ok($0.target) }
        let first = try await queue.add(setup.request("/first"))
        let second = try await queue.add(setup.request("/second"))
        await #expect(throws: RequestStoreError.self) { try await queue.run() }
        #expect(try await queue.result(of: first)?.state == .succeeded)
        #expect(try await setup.store.record(of: second)?.state == .ready)
        #expect(setup.paths == ["/first"])
    }

    @Test func requestsAreSentWhileWhatIsOldIsRemoved() async throws {
        let store = SlowlyPurgedStore(store: setup.store)
        let queue = DurableRequestQueue(store: store, manager: setup.queue().manager)
        server.respondToOthers { _ in
            store.gate.open()
            return .ok()
        }
        let id = try await queue.add(setup.request("/a"))
        try await queue.run()
        #expect(try await queue.result(of: id)?.state == .succeeded)
        #expect(store.purges.withLock { $0 } == 1)
    }

    @Test func aFailureToRemoveWhatIsOldIsTheRunsFailure() async throws {
        let store = SlowlyPurgedStore(store: setup.store, fails: true)
        let queue = DurableRequestQueue(store: store, manager: setup.queue().manager)
        await #expect(throws: RequestStoreError.self) { try await queue.run(endsWhenEmpty: false) }
    }

    @Test func attemptsFollowFailuresUntilTheyAreTooMany() async throws {
        server.enqueue(.status(503), .status(500), .ok("at last"))
        server.respond(to: "/always", .status(503))
        let queue = setup.queue()
        let id = try await queue.add(setup.request("/often"))
        let always = try await queue.add(setup.request("/always"))
        try await queue.run()
        #expect(try await queue.result(of: id)?.state == .succeeded)
        #expect(try await queue.result(of: id)?.failures == 2)
        #expect(try await queue.result(of: always)?.state == .failed)
        #expect(setup.paths.count { $0 == "/always" } == 3)
    }

    @Test(arguments: ["POST", "PATCH"]) func theIdempotencyKeyStaysTheSame(method: String) async throws {
        server.enqueue(.status(503), .ok("x"))
        let queue = setup.queue()
        var request = setup.request("/a", method: method)
        request.httpBody = Data("body".utf8)
        try await queue.add(request)
        try await queue.run()
        let keys = server.requests.map { $0["Idempotency-Key"] ?? "none" }
        #expect(keys.count == 2 && Set(keys).count == 1)
        // A string of structured fields: 36 characters between quotation marks.
        #expect(keys[0].count == 38 && keys[0].hasPrefix("\"") && keys[0].hasSuffix("\""))
        #expect(server.requests.allSatisfy { $0.body == Data("body".utf8) })
    }

    @Test func aKeyOfTheUsersWins() async throws {
        server.respondToOthers { _ in .ok() }
        let queue = setup.queue()
        var request = setup.request("/a", method: "POST")
        request.setValue("mine", forHTTPHeaderField: "idempotency-key")
        var named = DurableRequest(setup.request("/b", method: "POST"))
        named.idempotencyKey = "order-7"
        try await queue.add([DurableRequest(request), named, DurableRequest(setup.request("/c", method: "PUT"))])
        try await queue.run()
        var keys: [String: [String]] = [:]
        for request in server.requests { keys[request.target] = request.values(of: "Idempotency-Key") }
        #expect(keys == ["/a": ["mine"], "/b": ["\"order-7\""], "/c": []])
    }

    @Test func aCancelledRunGivesItsRequestsBack() async throws {
        let gate = Gate()
        server.respondToOthers { _ in .stalled(until: gate) }
        let queue = setup.queue()
        let id = try await queue.add(setup.request("/slow"))
        let run = Task { try await queue.run() }
        _ = try await server.nextRequest()
        run.cancel()
        try await run.value
        let record = try #require(try await setup.store.record(of: id))
        #expect(record.state == .ready && record.failures == 0 && record.losses == 0 && record.worker == nil)
        gate.open()
        try await setup.queue().run()
        #expect(try await queue.result(of: id)?.state == .succeeded)
    }

    @Test func eachWorkerHasFilesOfItsOwn() async throws {
        server.respondToOthers { _ in .ok("content") }
        let folder = setup.directory
        let queue = setup.queue {
            $0.destinationResolver = { stored in
                guard stored.fileURL.lastPathComponent != "refused" else { throw CocoaError(.fileWriteNoPermission) }
                return DownloadDestination(fileURL: folder.file("of-this-worker"), sha256: stored.sha256)
            }
        }
        let good = try await queue.add(setup.request("/a"), destination: URL(fileURLWithPath: "/elsewhere/a"))
        let bad = try await queue.add(setup.request("/b"), destination: URL(fileURLWithPath: "/elsewhere/refused"))
        try await queue.run()
        #expect(try await queue.result(of: good)?.content == .file(folder.file("of-this-worker")))
        #expect(try Data(contentsOf: folder.file("of-this-worker")) == Data("content".utf8))
        let refused = try #require(try await queue.result(of: bad))
        #expect(refused.state == .failed && refused.failure?.domain == NSCocoaErrorDomain)
        #expect(setup.paths == ["/a"])
    }

    @Test func aDrainLetsEndWhatRuns() async throws {
        let gate = Gate()
        server.respondToOthers { _ in .stalled(until: gate) }
        let queue = setup.queue { $0.maximumConcurrentRequests = 1 }
        let first = try await queue.add(setup.request("/first"))
        let second = try await queue.add(setup.request("/second"))
        let run = Task { try await queue.run() }
        _ = try await server.nextRequest()
        async let drained: Void = queue.drain()
        gate.open()
        await drained
        try await run.value
        #expect(try await queue.result(of: first)?.state == .succeeded)
        #expect(try await queue.result(of: second)?.state == .ready)
        #expect(setup.paths == ["/first"])
        // Not running: at once.
        await queue.drain()
    }

    @Test func aDrainWithATimeoutGivesBackTheRest() async throws {
        let gate = Gate()
        defer { gate.open() }
        server.respondToOthers { _ in .stalled(until: gate) }
        let queue = setup.queue()
        let id = try await queue.add(setup.request("/stuck"))
        let run = Task { try await queue.run() }
        _ = try await server.nextRequest()
        await queue.drain(timeout: 0.05)
        try await run.value
        #expect(try await queue.result(of: id)?.state == .ready)
    }

    @Test func aGroupIsCancelledWhereverItRuns() async throws {
        let gate = Gate()
        defer { gate.open() }
        server.respondToOthers { _ in .stalled(until: gate) }
        let (worker, other) = (
            setup.queue(), setup.queue(try SQLiteRequestStore(url: setup.directory.file("requests.sqlite")))
        )
        let running = try await other.add(setup.request("/a"), group: "g")
        let waiting = try await other.add(setup.request("/b"), group: "g", after: [running])
        let run = Task { try await worker.run() }
        _ = try await server.nextRequest()
        #expect(try await other.cancel(group: "g") == CancellationCounts(ended: 1, running: 1))
        try await run.value
        #expect(try await other.result(of: running)?.state == .cancelled)
        #expect(try await other.result(of: waiting)?.state == .cancelled)
    }

    @Test func theLimitForAHostHoldsOverTwoQueues() async throws {
        server.respondToOthers { _ in .ok("x").waiting(0.02, at: .beforeHead) }
        let configure = { (configuration: inout DurableRequestQueue.Configuration) in
            configuration.maximumRequestsPerHost = 3
        }
        let other = try SQLiteRequestStore(url: setup.directory.file("requests.sqlite"), pollInterval: 0.02)
        let (first, second) = (setup.queue(nil, configure), setup.queue(other, configure))
        try await first.add((0..<40).map { DurableRequest(setup.request("/\($0)")) })
        async let one: Void = first.run()
        async let two: Void = second.run()
        _ = try await (one, two)
        #expect(server.requests.count == 40 && Set(setup.paths).count == 40)
        #expect(server.maximumSimultaneousConnections <= 6)
        #expect(try await first.counts() == RequestCounts([.succeeded: 40]))
    }

    @Test func aRetryAfterHoldsForAllRequestsToTheHost() async throws {
        server.enqueue(ScriptedResponse.status(503).adding(header: "Retry-After", "1"))
        server.respondToOthers { _ in .ok() }
        let queue = setup.queue { $0.maximumConcurrentRequests = 1 }
        try await queue.add([DurableRequest(setup.request("/a")), DurableRequest(setup.request("/b"))])
        try await queue.run()
        let times = server.requests.map(\.time)
        #expect(times.count == 3)
        #expect(times[1] - times[0] >= .milliseconds(950))
    }

    @Test func aDeadlineEndsARequestThatIsBeingSent() async throws {
        let gate = Gate()
        defer { gate.open() }
        server.respondToOthers { _ in .stalled(until: gate) }
        let queue = setup.queue()
        var request = DurableRequest(setup.request("/late"))
        request.timeToDeadline = 0.3
        try await queue.add([request])
        try await queue.run()
        let result = try #require(try await queue.result(of: request.id))
        #expect(result.state == .failed && result.failure?.description.contains("deadline") == true)
    }

    @Test func downloadsGoOnAtTheirOffset() async throws {
        let data = ScriptedResponse.pattern(count: 400_000)
        let file = setup.directory.file("file.bin")
        server.enqueue(ScriptedResponse.ranged(data, etag: "\"v1\"").ending(.reset, afterBodyBytes: 250_000))
        server.respondToOthers { _ in .ranged(data, etag: "\"v1\"") }
        let queue = setup.queue()
        let id = try await queue.add(setup.request("/file"), destination: file)
        try await queue.run()
        #expect(try Data(contentsOf: file) == data)
        #expect(try await queue.result(of: id)?.content == .file(file))
        #expect(server.requests.count == 2)
        #expect(server.requests.last?["Range"]?.hasPrefix("bytes=") == true)
        #expect(server.requests.last?["If-Range"] == "\"v1\"")
    }

    @Test func aLargeResponseIsLeftOutOfTheStore() async throws {
        server.respondToOthers { _ in .ok("12345") }
        let queue = setup.queue { $0.maximumStoredContent = 4 }
        let id = try await queue.add(setup.request("/a"))
        try await queue.run()
        #expect(try await queue.result(of: id)?.content == .omitted(size: 5))
        #expect(try await queue.content(of: id) == nil)
    }

    @Test func aQueueMayWaitForMore() async throws {
        server.respondToOthers { _ in .ok() }
        let queue = setup.queue()
        let run = Task { try await queue.run(endsWhenEmpty: false) }
        // Added by another process, as far as the queue can tell.
        let other = setup.queue(try SQLiteRequestStore(url: setup.directory.file("requests.sqlite")))
        for path in ["/a", "/b"] {
            let id = try await other.add(setup.request(path))
            _ = try await eventually {
                try await other.result(of: id)?.state
            } until: {
                $0 == .succeeded
            }
        }
        await queue.drain()
        try await run.value
    }

    @Test func aQueueRunsOnce() async throws {
        let gate = Gate()
        server.respondToOthers { _ in .stalled(until: gate) }
        let queue = setup.queue()
        try await queue.add(setup.request("/a"))
        let run = Task { try await queue.run() }
        _ = try await server.nextRequest()
        let error = await #expect(throws: DurableRequestError.self) { try await queue.run() }
        #expect(error?.code == .alreadyRunning)
        gate.open()
        try await run.value
    }

    @Test func aStoreThatFailsEndsTheRunWithItsError() async throws {
        let gate = Gate()
        defer { gate.open() }
        server.respondToOthers { _ in .stalled(until: gate) }
        let queue = setup.queue()
        let id = try await queue.add(setup.request("/a"))
        let run = Task { try await queue.run() }
        _ = try await server.nextRequest()
        await setup.store.close()
        let error = await #expect(throws: RequestStoreError.self) { try await run.value }
        #expect(error?.code == .closed)
        // Nothing is lost: when the lease has run out another worker sends it.
        gate.open()
        let store = try SQLiteRequestStore(url: setup.directory.file("requests.sqlite"), pollInterval: 0.02)
        try await setup.queue(store).run()
        #expect(try await store.record(of: id)?.state == .succeeded)
        #expect(try await store.record(of: id)?.losses == 1)
    }
}

/// Removes what is old when a gate is opened.
private struct SlowlyPurgedStore: WrappedStore {
    let store: SQLiteRequestStore
    var fails = false
    let gate = EndGate()
    let purges = Locked(0)

    func purge(endedBefore age: TimeInterval) async throws -> Int {
        if fails { throw RequestStoreError(.full, problem: "the disk is full", advice: "make room") }
        await gate.wait()
        let count = try await store.purge(endedBefore: age)
        purges.withLock { $0 += 1 }
        return count
    }
}

/// A store that leases after outcomes of the same time are in it, and whose answer about those comes later than a request
/// that they have made ready would be sent.
private struct LateStore: WrappedStore {
    let store: SQLiteRequestStore
    let server: TestServer
    private let records = Locked(0)
    private let fails: Locked<Bool>

    /// - Parameter fails: the first record fails.
    init(store: SQLiteRequestStore, server: TestServer, fails: Bool = false) {
        self.store = store
        self.server = server
        self.fails = Locked(fails)
    }

    func record(_ outcomes: [AttemptOutcome], worker: String) async throws -> [RecordedOutcome] {
        let isRefused = fails.withLock { fails in
            defer { fails = false }
            return fails
        }
        if isRefused {
            throw RequestStoreError(.full, problem: "the disk is full", advice: "make room")
        }
        let count = server.requests.count
        let fates = try await store.record(outcomes, worker: worker)
        records.withLock { $0 += 1 }
        // What must not happen can only be waited for so long.
        try? await eventually("another request", timeout: 0.1) { server.requests.count > count }
        return fates
    }

    func lease(_ demand: LeaseDemand) async throws -> LeaseGrant {
        let count = records.withLock { $0 }
        try? await eventually("an outcome", timeout: 0.05) { records.withLock { $0 } > count }
        return try await store.lease(demand)
    }
}
