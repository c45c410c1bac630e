// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

@Suite("Pools without transfers", .timeLimit(.minutes(1)))
struct RestingPoolTests {
    @Test("Of many easy handles few are kept while there are no transfers, and their connections as long as before")
    func spareDrivers() async throws {
        let count = 20
        let arrived = Locked(0)
        let gate = Latch()
        try await withEngine(server: { connection in
            while connection.readRequest() != nil {
                arrived.withLock { $0 += 1 }
                gate.wait()
                connection.respond("x")
            }
        }) { engine, server in
            engine.maximumConnectionsPerHost = count
            engine.idleConnectionTimeout = 8
            let handlers = (0..<count).map { _ in RecordingHandler() }
            for handler in handlers { engine.start(Transfer(request: TransferRequest(server.url), handler: handler)) }
            try await eventually("all requests") { arrived.withLock { $0 } == count }
            gate.open()
            for handler in handlers { #expect(await handler.finished().text == "x") }
            @Sendable func kept() async -> Int {
                await withCheckedContinuation { continuation in
                    engine.perform { continuation.resume(returning: engine.loop.lastPool?.drivers.count ?? 0) }
                }
            }
            #expect(await kept() == count)
            while await kept() > ConnectionPool.restingDriverLimit { try await Task.sleep(for: .milliseconds(20)) }
            // Twice: with handles that were kept, and with new ones.
            for _ in 0..<2 {
                let handlers = (0..<count).map { _ in RecordingHandler() }
                for handler in handlers {
                    engine.start(Transfer(request: TransferRequest(server.url), handler: handler))
                }
                for handler in handlers {
                    let record = await handler.finished()
                    #expect(record.text == "x" && record.timings.reusedConnection)
                }
            }
            #expect(server.connectionCount == count)
        }
    }
}
