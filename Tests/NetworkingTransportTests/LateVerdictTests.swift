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

    /// What a program's verdict refers to.
    private final class Program: Sendable {}

    @Test("A verdict of the program's is released with its idle connections", arguments: [true, false])
    func release(closes: Bool) async throws {
        let server = try TestServer(tls: TLSSettings(FrontServer.identity.get()))
        server.respondToOthers { _ in closes ? .ok().adding(header: "Connection", "close") : .ok() }
        let engine = TransportEngine()
        engine.idleConnectionTimeout = 0.1
        let program: Witness
        do {
            let object = Program()
            program = Witness(object)
            let tls = TLSConfiguration(
                identity: "program", verificationExecutor: { $0() },
                verify: { _, _ in withExtendedLifetime(object) { nil } })
            let url = "https://127.0.0.1:\(server.port)/"
            let request = TransferRequest(url: url, origin: try RequestTarget(url).origin, method: "GET", tls: tls)
            #expect(await engine.run(request).error == nil)
        }
        try await eventually("the end of the pool") { program.isGone }
        engine.shutdown()
    }

    private final class Witness: Sendable {
        private let object: Locked<Weak>
        private struct Weak { weak var object: Program? }
        init(_ object: Program) { self.object = Locked(Weak(object: object)) }
        var isGone: Bool { object.withLock { $0.object == nil } }
    }
}
