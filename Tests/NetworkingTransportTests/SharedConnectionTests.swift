// SPDX-License-Identifier: MIT
import COpenSSL
import Foundation
import NetworkingSupport
import Testing

@testable import NetworkingTransport

@Suite("Turns of reading on a connection that transfers share", .timeLimit(.minutes(1)))
struct SharedConnectionTests {
    /// On a busy machine turns end by the clock, whatever comes.
    @Test("What comes for one of them is of use, though the one that opened the connection gets nothing")
    func use() async throws {
        let (gate, arrived) = (Latch(), Latch())
        let backend = ScriptedServer.holding(3, arrived: arrived, until: gate)
        let front = try FrontServer(http2: true, backend: backend)
        let engine = TransportEngine()
        defer {
            gate.open()
            engine.shutdown()
            front.stop()
            backend.stop()
        }
        let handlers = (0..<3).map { _ in RecordingHandler() }
        for handler in handlers { engine.start(Transfer(request: front.request("/script"), handler: handler)) }
        arrived.wait()
        for getsContent in [true, false] {
            let isFlooded = await withCheckedContinuation { continuation in
                engine.perform { continuation.resume(returning: Self.isFlooded(in: engine.loop, getsContent)) }
            }
            #expect(isFlooded == !getsContent)
            // The last one has ended them.
            guard getsContent else { continue }
            #expect(handlers.allSatisfy { $0.record.outcomes.isEmpty })
        }
        for handler in handlers { #expect(await handler.finished().error?.kind == .badResponse) }
    }

    /// Has a hundred turns and more cut short, and a transfer get something between them, or not.
    ///
    /// - Returns: True if the connection counts as flooded; nil: there is none.
    private static func isFlooded(in loop: EngineLoop, _ getsContent: Bool) -> Bool? {
        guard let pool = loop.lastPool,
            let opener = pool.drivers.first(where: { $0.transfer != nil && $0.socket >= 0 }),
            let other = pool.drivers.first(where: { $0.transfer != nil && $0 !== opener }),
            let source = opener.easy.tlsConnection.map({ SSL_get_rbio(OpaquePointer($0)) })
        else { return nil }
        opener.lastUse = 0
        other.lastUse = 0
        for _ in 0..<120 {
            if getsContent { other.lastUse = loop.now }
            loop.readTurn.begin()
            while let source, loop.readTurn.mayRead(from: source) {}
            loop.noteLongTurn(on: opener.socket, of: pool)
        }
        return loop.poller?.sockets.isFlooded(opener.socket)
    }
}
