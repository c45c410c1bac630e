// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingDurable

/// Connections with TLS: the server's own, and through a program that ends it.
extension PostgresRequestStoreTests {
    private func tls(port: Int? = nil, mode: String = "verify-full", root: String? = nil) -> String {
        server.connection(
            host: "127.0.0.1", port: port, rest: "sslmode=\(mode) sslrootcert=\(root ?? server.certificate)")
    }

    /// Restarts the server with TLS on the loopback interface, and without it afterwards.
    private func withTLS(_ body: () async throws -> Void) async throws {
        try server.crash()
        try server.start(address: "127.0.0.1", tls: true)
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try server.crash()
        try server.start()
        try result.get()
    }

    @Test func encryptedConnections() async throws {
        try await withTLS {
            for conformance in StoreConformance.all.prefix(12) {
                let store = try await PostgresRequestStore(tls(), schema: PostgresServer.freshSchema())
                try await conformance.check(store)
                await store.close()
            }
        }
    }

    @Test func aServerThatIsNotTrusted() async throws {
        let directory = try TemporaryDirectory()
        let (other, key) = (directory.file("other.crt").path, directory.file("other.key").path)
        try ExternalProgram("openssl").run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=other",
            "-keyout", key, "-out", other,
        ])
        try await withTLS {
            for (connection, reason) in [
                (tls(root: other), "certificate verify failed"),
                (tls(root: directory.file("missing.crt").path), "missing.crt"),
                // Its certificate is for the address.
                (tls().replacingOccurrences(of: "host=127.0.0.1", with: "host=localhost"), "does not match host name"),
            ] {
                let error = await #expect(throws: RequestStoreError.self) {
                    try await store(connection + " password=secret", reconnectTimeout: 0.3)
                }
                let text = error.map { "\($0)" } ?? ""
                #expect(text.contains(reason) && !text.contains("secret"), "\(text)")
            }
        }
        // Without TLS none is taken instead.
        try server.crash()
        try server.start(address: "127.0.0.1")
        let error = await #expect(throws: RequestStoreError.self) { try await store(tls(), reconnectTimeout: 0.3) }
        #expect(error.map { "\($0)" }?.contains("SSL") == true, "\(error as Any)")
        try server.crash()
        try server.start()
    }

    /// The server's records have 8 KiB; those of others 16, of which libpq may take in a part at first.
    @Test(.enabled("install stunnel4", { StunnelServer.isInstalled }))
    func recordsThatAreLongerThanTheServers() async throws {
        let tunnel = try StunnelServer.start(
            to: "\(server.root)/.s.PGSQL.\(server.port)", certificate: server.certificate, key: server.key)
        defer { tunnel.stop() }
        // In sizes that end everywhere in a record, each with a connection that has got nothing so far.
        for size in stride(from: 6_000, to: 46_000, by: 500) {
            let store = try await store(tls(port: tunnel.port))
            var request = try StoreConformance.request("\(size)")
            request.content = Data(repeating: UInt8(truncatingIfNeeded: size), count: size)
            _ = try await store.add([request])
            let start = ContinuousClock.now
            let grant = try await store.lease(LeaseDemand(worker: "w", limit: 1, duration: 60))
            #expect(grant.requests.map(\.content) == [request.content])
            #expect(ContinuousClock.now - start < .seconds(10 * Patience.factor), "\(size)")
            await store.close()
        }
    }
}
