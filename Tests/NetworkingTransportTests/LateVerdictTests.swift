// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import TestTLS
import Testing

@testable import NetworkingTransport

@Suite("Verdicts on a server that nobody waits for any more", .timeLimit(.minutes(1))) struct LateVerdictTests {
    @Test("One that comes when the engine has ended does nothing", arguments: [true, false])
    func afterShutdown(isTrusted: Bool) async throws {
        let server = try TestServer(tls: TLSSettings(FrontServer.identity.get()))
        server.respondToOthers { _ in .ok("secret") }
        let verdicts = Locked<[@Sendable () -> Void]>([])
        let tls = TLSConfiguration(
            identity: "late", verificationExecutor: { verdict in verdicts.withLock { $0.append(verdict) } },
            verify: { _, _ in isTrusted ? nil : CancellationError() })
        let url = "https://127.0.0.1:\(server.port)/"
        let request = TransferRequest(url: url, origin: try RequestTarget(url).origin, method: "GET", tls: tls)
        let engine = TransportEngine()
        async let record = engine.run(request)
        try await eventually("the question") { verdicts.withLock { $0.count } == 1 }
        engine.shutdown()
        #expect(await record.error != nil)
        for verdict in verdicts.withLock({ $0 }) { verdict() }
        #expect(server.requests.isEmpty)
    }
}
