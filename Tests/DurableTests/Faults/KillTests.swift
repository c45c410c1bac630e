// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworkingDurable
import TestServer
import Testing

/// Workers that are killed at random moments, or whose disk fails: what was promised has to hold.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct KillTests {
    /// 1000 for the full run.
    static let kills = ProcessInfo.processInfo.environment["DURABLE_KILLS"].flatMap(Int.init) ?? 25

    @Test func killsLoseNothing() async throws {
        var kills = 0
        var rounds = 0
        while kills < Self.kills {
            let round = try await Round(count: 2000)
            kills += try await round.run(until: Self.kills - kills)
            try await round.check()
            rounds += 1
        }
        print("\(kills) kills in \(rounds) rounds")
    }

    @Test func failedSyncsLoseNothing() async throws {
        let directory = try TemporaryDirectory()
        let library = directory.file("syncfault.so")
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("syncfault.c")
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["clang", "-shared", "-fPIC", "-o", library.path, source.path, "-ldl"]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        let round = try await Round(count: 600)
        let messages = try await round.runWithFaults(["LD_PRELOAD": library.path, "SYNC_FAULT_PERIOD": "29"])
        try await round.check()
        #expect(!messages.isEmpty)
        for message in messages {
            #expect(message.contains("reading or writing the store failed") && message.contains("look at the disk"))
        }
    }
}

/// A store with a graph of requests, a server that notes when each is asked for, and workers.
private final class Round: Sendable {
    let directory: TemporaryDirectory
    let server: TestServer
    let file: URL
    let ids: [DurableRequest.ID]
    private let arrivals = Locked<[String: [Date]]>([:])
    private let workers = Locked<[WorkerProcess]>([])

    init(count: Int) async throws {
        directory = try TemporaryDirectory()
        server = try TestServer()
        file = directory.file("requests.sqlite")
        ids = (0..<count).map { _ in DurableRequest.ID() }
        let store = try SQLiteRequestStore(url: file)
        let queue = DurableRequestQueue(store: store, manager: .init(baseURL: nil))
        let requests = ids.enumerated().map { place, id in
            var request = DurableRequest(URLRequest(url: server.url("/\(id)")), id: id)
            request.request.httpMethod = place % 3 == 0 ? "POST" : "GET"
            request.group = "round"
            if place >= 200 { request.dependencies.append(.init(ids[place - 200])) }
            if place >= 201, place % 2 == 0 { request.dependencies.append(.init(ids[place - 201], .inAnyCase)) }
            return request
        }
        try await queue.add(requests)
        await store.close()
        server.respondToOthers { [arrivals] request in
            arrivals.withLock { $0[String(request.target.dropFirst()), default: []].append(Date()) }
            return ScriptedResponse.ok("x").waiting(0.01, at: .beforeHead)
        }
    }

    private func start(_ environment: [String: String] = [:]) throws -> WorkerProcess {
        let worker = try WorkerProcess(store: file, environment: environment)
        workers.withLock { $0.append(worker) }
        return worker
    }

    /// Three workers, of which one is killed and replaced at random moments. Returns the number of kills.
    func run(until limit: Int) async throws -> Int {
        var running = try (0..<3).map { _ in try start() }
        var kills = 0
        while true {
            let pause = kills < limit ? UInt64.random(in: 0..<300_000_000) : 50_000_000
            try await Task.sleep(nanoseconds: pause)
            if running.allSatisfy(\.isFinished) { return kills }
            let place = Int.random(in: 0..<3)
            guard kills < limit, !running.contains(where: \.isFinished) else { continue }
            running[place].kill()
            kills += 1
            running[place] = try start()
        }
    }

    /// Two workers whose syncs fail now and then; each that ends with an error is replaced. Returns their messages.
    func runWithFaults(_ environment: [String: String]) async throws -> [String] {
        var running = try (0..<2).map { _ in try start(environment) }
        var messages: [String] = []
        while true {
            try await Task.sleep(nanoseconds: 20_000_000)
            for place in running.indices where running[place].isFinished && !running[place].message.isEmpty {
                messages.append(running[place].message)
                running[place] = try start(messages.count > 200 ? [:] : environment)
            }
            if running.allSatisfy(\.isFinished) { return messages }
        }
    }

    func check() async throws {
        let store = try SQLiteRequestStore(url: file)
        #expect(try await store.counts(inGroup: "round") == RequestCounts([.succeeded: ids.count]))
        let arrivals = arrivals.withLock { $0 }
        var late = 0
        for id in ids {
            let times = arrivals[id.description] ?? []
            #expect(!times.isEmpty, "\(id) was never sent")
            let end = try #require(try await store.record(of: id)?.end)
            // A second send is fine while no end is recorded, and never after.
            late += times.count { $0 > end }
        }
        #expect(late == 0)
        let ends = workers.withLock { $0 }.flatMap(\.ends)
        #expect(Set(ends).count == ends.count, "an end was recorded twice")
        print(
            "\(arrivals.values.reduce(0) { $0 + $1.count }) sends of \(ids.count) requests, \(ends.count) printed ends")
        await store.close()
    }
}
