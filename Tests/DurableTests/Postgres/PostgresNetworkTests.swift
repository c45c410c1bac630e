// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

@testable import OperationNetworkingDurable

extension PostgresRequestStoreTests {
    /// That of the workers.
    private func removeDefaultSchema() async throws {
        let store = try await store()
        try await store.calls.perform {
            try $0.connection.execute("DROP SCHEMA IF EXISTS operation_networking CASCADE")
        }
        await store.close()
    }

    /// As in `KillTests`, and as often.
    @Test func killsOfWorkersLoseNothing() async throws {
        try await KillRound.runAll(KillTests.kills) {
            try await removeDefaultSchema()
            return try await KillRound(
                count: 2000, database: "postgresql://tests@/postgres?host=\(server.root)&port=\(server.port)")
        }
    }

    /// Four workers in four networks, of which one is cut off for longer than its leases last, and joined again.
    @Test(.enabled("\(WorkerNetworks.obstacle ?? "")", { WorkerNetworks.obstacle == nil }))
    func aWorkerThatIsCutOffLosesNothing() async throws {
        let networks = try WorkerNetworks(count: 4)
        try server.crash()
        try server.start(address: "*")
        try await removeDefaultSchema()
        let store = try await PostgresRequestStore(server.connection())
        let web = try TestServer(addresses: ["0.0.0.0"])
        let arrivals = Locked<[String: [Date]]>([:])
        web.respondToOthers { request in
            arrivals.withLock { $0[String(request.target.dropFirst()), default: []].append(Date()) }
            return ScriptedResponse.ok("x").waiting(0.02, at: .beforeHead)
        }
        // So many that there is work left when it joins again.
        let ids = (0..<2000).map { _ in DurableRequest.ID() }
        let queue = DurableRequestQueue(store: store, manager: .init(baseURL: nil))
        let port = try #require(web.url("/").port)
        try await queue.add(
            try ids.enumerated().map { place, id in
                let url = try #require(URL(string: "http://\(WorkerNetworks.address):\(port)/\(id)"))
                var request = DurableRequest(URLRequest(url: url), id: id)
                if place >= 200 { request.dependencies.append(.init(ids[place - 200])) }
                return request
            })
        let connection =
            "postgresql://tests@\(WorkerNetworks.address):\(server.port)/postgres?tcp_user_timeout=1500&connect_timeout=2"
        let workers = try networks.names.map {
            try WorkerProcess(store: connection, lease: 1, concurrent: 4, namespace: $0)
        }
        defer { for worker in workers where !worker.isFinished { worker.kill() } }
        _ = try await eventually {
            workers[1].ends.count
        } until: {
            $0 > 20
        }
        try networks.setLink(1, up: false)
        let before = workers[1].ends.count
        // The others take over what it had, once its leases have run out.
        try await Task.sleep(nanoseconds: 3_000_000_000)
        try networks.setLink(1, up: true)
        _ = try await eventually(within: 90) {
            workers.map(\.isFinished)
        } until: {
            !$0.contains(false)
        }
        #expect(workers.map(\.message) == ["", "", "", ""])
        #expect(try await store.counts(inGroup: nil) == RequestCounts([.succeeded: ids.count]))
        let ends = workers.flatMap(\.ends)
        #expect(Set(ends).count == ends.count, "an end was recorded twice")
        var late = 0
        for id in ids {
            let times = arrivals.withLock { $0[id.description] ?? [] }
            #expect(!times.isEmpty, "\(id) was never sent")
            let end = try #require(try await store.record(of: id)?.end)
            late += times.count { $0 > end }
        }
        // What it had under way when it was cut off comes by TCP's own repetition, and is no second send.
        #expect(late <= 4)
        print(
            "ends \(workers.map(\.ends.count)), \(workers[1].ends.count - before) of the second after it was cut off,",
            "\(arrivals.withLock { $0.values.reduce(0) { $0 + $1.count } }) arrivals, \(late) after the end")
        await store.close()
        try server.crash()
        try server.start()
    }
}

/// Network namespaces that reach this one by an address of its loopback device. They end with this object.
final class WorkerNetworks: Sendable {
    static let address = "10.209.0.1"

    /// What keeps them from being made here; nil: they can be.
    static let obstacle: String? = {
        do {
            let name = "onpg\(getpid())t"
            let ip = try ExternalProgram("ip")
            try ip.run(["netns", "add", name])
            try ip.run(["netns", "del", name])
            _ = try ExternalProgram("nsenter")
            return nil
        } catch {
            return "no network namespaces (they take root, or CAP_SYS_ADMIN, and iproute2): \(error)"
        }
    }()

    let names: [String]
    private let ip: ExternalProgram

    init(count: Int) throws {
        ip = try ExternalProgram("ip")
        names = (0..<count).map { "onpg\(getpid())n\($0)" }
        try run("addr add \(Self.address)/32 dev lo")
        for (number, name) in names.enumerated() {
            let subnet = "10.209.\(number + 1)"
            try run("netns add \(name)")
            try run("link add onpg\(number) type veth peer name uplink netns \(name)")
            try run("addr add \(subnet).1/30 dev onpg\(number)")
            try run("link set onpg\(number) up")
            for line in [
                "link set lo up", "addr add \(subnet).2/30 dev uplink", "link set uplink up",
                "route add default via \(subnet).1",
            ] { try run("-n \(name) \(line)") }
        }
    }

    deinit {
        try? run("addr del \(Self.address)/32 dev lo")
        for (number, name) in names.enumerated() {
            try? run("link del onpg\(number)")
            try? run("netns del \(name)")
        }
    }

    func setLink(_ number: Int, up: Bool) throws { try run("link set onpg\(number) \(up ? "up" : "down")") }

    private func run(_ line: String) throws { try ip.run(line.split(separator: " ").map(String.init)) }
}
