// SPDX-License-Identifier: MIT
import COpenSSL
import Foundation
import NetworkingSupport
import TestServer
import TestTLS
import Testing

@testable import NetworkingTransport

/// TLS within TLS: what the inner connection leaves unread is no longer in the socket.
@Suite("A connection within that to a proxy", .timeLimit(.minutes(1)), .serialized)
struct TLSTunnelTests {
    @Test("A verification that takes long ends in a response", arguments: [TestTLS.TLSVersion.v1_2, .v1_3])
    func handshake(version: TestTLS.TLSVersion) async throws {
        try await run(records: 1, version: version, verification: 20_000, reading: 0)
    }

    @Test("Content that takes long to be read comes whole")
    func content() async throws {
        for records in 5..<9 { try await run(records: records, version: .v1_3, verification: 0, reading: 10_000) }
    }

    /// - Parameters:
    ///   - records: of content, 1000 bytes each, all of them in one record of the proxy's.
    ///   - verification: microseconds. - reading: microseconds for each piece.
    private func run(
        records: Int, version: TestTLS.TLSVersion, verification: UInt32, reading: UInt32
    ) async throws {
        let server = try server(version, records: records)
        let proxy = try TLSTunnel.server(to: server.port, delay: 300)
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            proxy.stop()
            server.stop()
        }
        let url = "https://127.0.0.1:\(server.port)/"
        let tls = TLSConfiguration(identity: "slow") { _, _ in
            usleep(verification)
            return nil
        }
        var request = TransferRequest(url: url, origin: try RequestTarget(url).origin, method: "GET", tls: tls)
        request.idleTimeout = 5 * Patience.factor
        request.proxy = TransferProxy(
            scheme: .https, host: "127.0.0.1", port: proxy.port,
            tls: TLSConfiguration(identity: "proxy", verify: { _, _ in nil }))
        let handler = RecordingHandler(onContent: { _, _ in
            usleep(reading)
            return .accepted
        })
        let record = await engine.run(request, handler)
        #expect(record.error == nil && record.receivedCount == records * 1000, "\(records) records")
    }

    private func server(_ version: TestTLS.TLSVersion, records: Int) throws -> ScriptedServer {
        let context = try TLSServerContext(
            TLSSettings(FrontServer.identity.get(), minimumVersion: version, maximumVersion: version))
        return ScriptedServer { connection in
            guard let ssl = try? context.makeConnection(on: connection.descriptor) else { return }
            defer { SSL_free(ssl) }
            var buffer = [UInt8](repeating: 0, count: 16 * 1024)
            guard SSL_accept(ssl) == 1, SSL_read(ssl, &buffer, Int32(buffer.count)) > 0 else { return }
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(records * 1000)\r\n\r\n".utf8)
            guard SSL_write(ssl, head, Int32(head.count)) > 0 else { return }
            let piece = [UInt8](repeating: 0x78, count: 1000)
            for _ in 0..<records { guard SSL_write(ssl, piece, 1000) > 0 else { return } }
            connection.waitForEnd()
        }
    }
}
