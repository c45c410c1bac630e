// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworkingDurable
import TestServer
import Testing

/// A store with a graph of requests, a server that notes when each is asked for, and workers.
final class KillRound: Sendable {
    private let server: TestServer
    private let folder: TemporaryDirectory
    /// A file or a connection string.
    private let place: String
    private let ids: [DurableRequest.ID]
    private let arrivals = Locked<[String: [Date]]>([:])
    private let workers = Locked<[WorkerProcess]>([])

    /// - Parameter database: a connection string, as `DurableFixture` takes it; nil: a file.
    init(count: Int, database: String? = nil) async throws {
        folder = try TemporaryDirectory()
        place = database ?? folder.file("requests.sqlite").path
        server = try TestServer()
        ids = (0..<count).map { _ in DurableRequest.ID() }
        let store = try await open()
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

    private func open() async throws -> any RequestStore {
        place.hasPrefix("postgresql:")
            ? try await PostgresRequestStore(place) : try SQLiteRequestStore(url: URL(fileURLWithPath: place))
    }

    private func start(_ environment: [String: String] = [:]) throws -> WorkerProcess {
        let worker = try WorkerProcess(store: place, environment: environment)
        workers.withLock { $0.append(worker) }
        return worker
    }

    /// Round after round, until there were so many kills.
    static func runAll(_ number: Int, _ make: () async throws -> KillRound) async throws {
        var (kills, rounds) = (0, 0)
        while kills < number {
            let round = try await make()
            kills += try await round.run(until: number - kills)
            try await round.check()
            rounds += 1
        }
        print("\(kills) kills in \(rounds) rounds")
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
        let store = try await open()
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
