// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingDurable

/// Servers that go away, refuse, or hold other stores.
extension PostgresRequestStoreTests {
    private func proxied(_ proxy: PostgresProxy, _ directory: TemporaryDirectory) async throws -> PostgresRequestStore {
        try await store(server.connection(host: directory.path))
    }

    @Test(arguments: [PostgresProxy.Fault.losesCommit, .losesAnswer])
    func aCommitThatWasNotAnsweredIsFoundAgain(_ fault: PostgresProxy.Fault) async throws {
        let directory = try TemporaryDirectory()
        let proxy = try PostgresProxy(folder: directory.path, port: server.port, target: server.root)
        defer { proxy.close() }
        let store = try await proxied(proxy, directory)
        proxy.lose(fault)
        #expect(try await store.add([try StoreConformance.request("a"), try StoreConformance.request("b")]) == 2)
        proxy.lose(fault)
        let leases = try await StoreConformance.lease(store)
        try #require(leases.map(\.name) == ["a", "b"])
        proxy.lose(fault)
        let outcomes = leases.map { AttemptOutcome($0.lease, .succeeded(StoreConformance.result)) }
        for outcome in try await store.record(outcomes, worker: "w1") {
            guard case .recorded(.succeeded, _) = outcome else {
                Issue.record("an end that was recorded is taken for lost")
                continue
            }
        }
        #expect(proxy.losses == 3)
        #expect(try await store.record(of: leases[0].lease.id)?.losses == 0)
        await store.close()
    }

    /// A server that crashes gives the number of a transaction that it has lost to another one.
    @Test func aCommitThatACrashHasLostIsNotTakenForAnothersTransaction() async throws {
        let directory = try TemporaryDirectory()
        let proxy = try PostgresProxy(folder: directory.path, port: server.port, target: server.root)
        defer { proxy.close() }
        let (store, other) = (try await proxied(proxy, directory), try await store())
        for round in 0..<5 {
            let server = server
            proxy.lose(
                .losesCommitAfter {
                    try? server.crash()
                    try? server.start()
                    let done = DispatchSemaphore(value: 0)
                    Task {
                        for number in 0..<8 {
                            _ = try? await other.add([StoreConformance.request("o\(round) \(number)")])
                        }
                        done.signal()
                    }
                    done.wait()
                })
            #expect(try await store.add([try StoreConformance.request("r\(round)")]) == 1)
            #expect(try await StoreConformance.state(other, "r\(round)") == .ready)
        }
        #expect(proxy.losses == 5)
        for store in [store, other] { await store.close() }
    }

    @Test func aServerThatCrashesInTheMiddleLosesNothing() async throws {
        let stores = [try await store(), try await store()]
        let count = 400
        _ = try await stores[0].add(
            try (0..<count).map {
                try StoreConformance.request("r\($0)", after: $0 < 100 ? [] : [.init(try .init(name: "r\($0 - 100)"))])
            })
        let ends = Locked<[DurableRequest.ID]>([])
        try await withThrowingTaskGroup { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    let worker = "w\(number)"
                    while true {
                        let grant = try await store.lease(LeaseDemand(worker: worker, limit: 5, duration: 2))
                        guard grant.hasOpenRequests else { return }
                        let outcomes = grant.requests.map {
                            AttemptOutcome($0.lease, .succeeded(StoreConformance.result))
                        }
                        for (request, outcome) in zip(
                            grant.requests, try await store.record(outcomes, worker: worker))
                        {
                            if case .recorded = outcome { ends.withLock { $0.append(request.lease.id) } }
                        }
                        if grant.requests.isEmpty { try await Task.sleep(nanoseconds: 5_000_000) }
                    }
                }
            }
            for _ in 0..<3 {
                let before = ends.withLock { $0.count }
                _ = try await eventually {
                    ends.withLock { $0.count }
                } until: {
                    $0 > before + 20
                }
                try server.crash()
                try server.start()
            }
            try await group.waitForAll()
        }
        #expect(try await stores[0].counts(inGroup: nil) == RequestCounts([.succeeded: count]))
        let all = ends.withLock { $0 }
        #expect(all.count == count && Set(all).count == count)
        for store in stores { await store.close() }
    }

    @Test func aServerThatStaysAwayIsAnError() async throws {
        let store = try await store(reconnectTimeout: 0.3)
        try server.crash()
        let error = await #expect(throws: RequestStoreError.self) {
            try await store.add([try StoreConformance.request("a")])
        }
        #expect(error?.code == .connectionLost)
        // Closing does not wait for the server.
        let patient = Task { try await store.counts(inGroup: nil) }
        await store.close()
        await #expect(throws: RequestStoreError.self) { try await patient.value }
        let refused = await #expect(throws: RequestStoreError.self) { try await self.store() }
        #expect(refused?.code == .cannotOpen)
        try server.start()
        let again = try await self.store()
        #expect(try await again.counts(inGroup: nil).total == 0)
        await again.close()
    }

    @Test func aStoreThatIsHeldIsBusy() async throws {
        let (holder, store) = (try await store(), try await store(statementTimeout: 0.3))
        _ = try await holder.add([try StoreConformance.request("a")])
        let isHeld = Locked(false)
        async let held: Void = holder.calls.perform { session in
            try session.connection.run("SELECT 1 FROM requests FOR UPDATE")
            isHeld.withLock { $0 = true }
            try session.connection.run("SELECT pg_sleep(1.5)")
        }
        _ = try await eventually {
            isHeld.withLock { $0 }
        } until: {
            $0
        }
        let error = await #expect(throws: RequestStoreError.self) {
            try await store.cancel([try StoreConformance.id("a")])
        }
        #expect(error?.code == .busy)
        try await held
        #expect(try await store.cancel([try StoreConformance.id("a")]).ended == 1)
        await holder.close()
        await store.close()
    }

    @Test func aLeaseThatIsNotCommittedYetCountsForTheLimit() async throws {
        let stores = [try await store(), try await store(), try await store()]
        _ = try await stores[0].add(try (0..<5).map { try StoreConformance.request("r\($0)") })
        let isLeased = Locked(false)
        async let first = stores[0].calls.perform { session in
            let grant = try session.lease(LeaseDemand(worker: "w1", limit: 5, duration: 60, maximumPerHost: 5))
            isLeased.withLock { $0 = true }
            try session.connection.run("SELECT pg_sleep(0.5)")
            return grant.requests.count
        }
        _ = try await eventually {
            isLeased.withLock { $0 }
        } until: {
            $0
        }
        // More urgent ones, which the next worker would take otherwise.
        _ = try await stores[1].add(try (0..<5).map { try StoreConformance.request("h\($0)", priority: 1) })
        #expect(try await StoreConformance.lease(stores[2], "w2", perHost: 5).isEmpty)
        #expect(try await first == 5)
        for store in stores { await store.close() }
    }

    // MARK: Other stores

    @Test func aStoreOfANewerVersionIsRefused() async throws {
        let first = try await store()
        _ = try await first.calls.perform { try $0.connection.run("UPDATE store SET version = version + 1") }
        let error = await #expect(throws: RequestStoreError.self) { try await store() }
        #expect(error?.code == .newerVersion)
        await first.close()
    }

    @Test func tablesOfAnotherProgramAreLeftAlone() async throws {
        let first = try await store()
        _ = try await first.calls.perform { try $0.connection.run("DROP TABLE store") }
        let error = await #expect(throws: RequestStoreError.self) { try await store() }
        #expect(error?.code == .notAStore)
        await first.close()
    }

    @Test func aDatabaseThatMayOnlyBeReadIsAnError() async throws {
        let first = try await store()
        let store = try await store(server.connection(rest: "options='-c default_transaction_read_only=on'"))
        #expect(try await store.counts(inGroup: nil).total == 0)
        let error = await #expect(throws: RequestStoreError.self) {
            try await store.add([try StoreConformance.request("a")])
        }
        #expect(error?.code == .readOnly)
        await store.close()
        await first.close()
    }

    @Test func aRoleWithoutRightsIsAnError() async throws {
        let first = try await store()
        try await first.calls.perform { session in
            try session.connection.execute(
                "DO $$ BEGIN CREATE ROLE weak LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
            try session.connection.execute("REVOKE CREATE ON DATABASE postgres FROM PUBLIC")
        }
        let error = await #expect(throws: RequestStoreError.self) {
            try await PostgresRequestStore(server.connection(user: "weak"), schema: PostgresServer.freshSchema())
        }
        #expect(error?.code == .readOnly)
        await first.close()
    }

    // MARK: Secrets

    @Test func passwordsAreInNoErrorAndNoDescription() async throws {
        let first = try await store()
        try await first.calls.perform { session in
            try session.connection.execute(
                "DO $$ BEGIN CREATE ROLE locked LOGIN PASSWORD 'other'; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
            )
        }
        await first.close()
        let socket = server.root.replacingOccurrences(of: "/", with: "%2F")
        for connection in [
            "postgresql://locked:s3cr3t@\(socket):\(server.port)/postgres", "postgresql://u:s3cr3t@127.0.0.1:1/jobs",
            "postgresql://u:pass/s3cr3t@127.0.0.1/jobs", "postgresql://u:s3cr3t@x@host.invalid/jobs",
            "postgresql://u:s3cr3t#x@host.invalid/jobs", "postgresql://u:%s3cr3t@host/jobs", "password=s3cr3t host",
            "host=\(server.root) port=\(server.port) user=locked password=s3cr3t dbname=postgres",
            "postgresql://u@host/jobs?password=s3cr3t&nonsense=1", "postgresql://s3cr3t:80:x/%",
        ] {
            let error = await #expect(throws: RequestStoreError.self) {
                try await PostgresRequestStore(connection, connectTimeout: 2)
            }
            #expect(error?.code == .cannotOpen)
            let text = error.map { "\($0) \($0.reason) \($0.localizedDescription) \(String(reflecting: $0))" }
            #expect(text?.contains("s3cr3t") == false, "\(text ?? "")")
        }
        let store = try await store(server.connection(rest: "password=s3cr3t"))
        var dumped = ""
        dump(store, to: &dumped)
        #expect(!"\(store) \(String(reflecting: store)) \(dumped)".contains("s3cr3t"))
        await store.close()
    }

    @Test func namesOfSchemasAreChecked() async throws {
        for name in ["", "a-b", "A", "1a", "a; DROP TABLE x", "ä", "pg_x", String(repeating: "a", count: 64)] {
            let error = await #expect(throws: RequestStoreError.self) {
                try await PostgresRequestStore(server.connection(), schema: name)
            }
            #expect(error?.code == .cannotOpen)
        }
    }

    /// A mount namespace in which an empty file lies over libpq.
    @Test(.enabled("no mount namespaces here", { (try? ExternalProgram("unshare").run(["-m", "true"])) != nil }))
    func withoutItsLibraryAStoreSaysWhatToInstall() throws {
        let script =
            #"for file in /usr/lib/*/libpq.so.5*; do mount --bind /dev/null "$file"; done; "$@" 2>&1; test $? = 1"#
        let output = try ExternalProgram("unshare").run([
            "-m", "sh", "-c", script, "sh", try FixtureProgram.url("DurableFixture").path, "work",
            "postgresql:///jobs",
        ])
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.contains("libpq.so.5, PostgreSQL's client library, is not installed; install libpq5"))
    }
}
