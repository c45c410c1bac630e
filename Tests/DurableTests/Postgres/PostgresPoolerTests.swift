// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingDurable

/// PgBouncer between a store and its server.
extension PostgresRequestStoreTests {
    @Test(.enabled("install pgbouncer", { (try? ExternalProgram("pgbouncer")) != nil }))
    func aPoolerThatKeepsSessionsIsNotNoticed() async throws {
        let pooler = try Pooler(mode: "session", server)
        defer { pooler.stop() }
        for conformance in StoreConformance.all.prefix(8) {
            let store = try await PostgresRequestStore(pooler.connection, schema: PostgresServer.freshSchema())
            try await conformance.check(store)
            await store.close()
        }
    }

    @Test(.enabled("install pgbouncer", { (try? ExternalProgram("pgbouncer")) != nil }))
    func aPoolerThatGivesSessionsAwayIsRefused() async throws {
        let pooler = try Pooler(mode: "transaction", server)
        defer { pooler.stop() }
        let first = try await store(pooler.connection)
        let error = await #expect(throws: RequestStoreError.self) {
            let second = try await store(pooler.connection)
            for number in 0..<50 {
                _ = try await [first, second][number % 2].add([try StoreConformance.request("\(number)")])
            }
        }
        #expect(error.map { "\($0)" }?.contains("pool_mode = session") == true, "\(error as Any)")
        await first.close()
    }
}

/// A PgBouncer on a socket in the server's folder.
private final class Pooler: Sendable {
    let connection: String
    private let process: Process
    private let directory: TemporaryDirectory

    init(mode: String, _ server: PostgresServer) throws {
        directory = try TemporaryDirectory()
        let port = Int.random(in: 30_000..<32_000)
        connection = server.connection(host: directory.path, port: port)
        let settings = directory.file("settings.ini")
        try """
        [databases]
        * = host=\(server.root) port=\(server.port) dbname=postgres user=tests
        [pgbouncer]
        listen_port = \(port)
        unix_socket_dir = \(directory.path)
        auth_type = any
        pool_mode = \(mode)
        default_pool_size = \(mode == "session" ? 20 : 1)
        ignore_startup_parameters = extra_float_digits,options
        """.write(to: settings, atomically: true, encoding: .utf8)
        process = Process()
        // It does not run as root.
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let script = #"""
            cd "$1"; run=
            if [ "$(id -u)" = 0 ]; then
                chown -R postgres .
                run="setpriv --reuid=postgres --regid=postgres --init-groups --"
            fi
            exec $run "$2" -q settings.ini
            """#
        process.arguments = ["-c", script, "sh", directory.path, try ExternalProgram("pgbouncer").path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let socket = directory.file(".s.PGSQL.\(port)").path
        let end = Date() + 20
        // The file is there a moment before the pooler listens.
        while !Self.accepts(socket) {
            guard Date() < end else { throw PostgresServer.Failure(description: "PgBouncer does not start") }
            usleep(10_000)
        }
    }

    func stop() { process.terminate() }

    private static func accepts(_ path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
