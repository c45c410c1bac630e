// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

/// Servers that send without end what is not content.
@Suite("Floods", .timeLimit(.minutes(1)), .serialized)
struct FloodTests {
    @Test("Others are not kept waiting, and the request ends for what the server does")
    func others() async throws {
        // One after the other: each has a processor for itself.
        for flood in FloodingServer.Flood.allCases { try await run(flood) }
    }

    private func run(_ flood: FloodingServer.Flood) async throws {
        let flooding = try FloodingServer(flood)
        defer { flooding.server.stop() }
        try await withEngine(server: { $0.respondToAll("x") }) { engine, server in
            var request = TransferRequest(flooding.url)
            request.idleTimeout = 60
            let flooded = Task { [request] in await engine.run(request) }
            try await eventually("\(flood)") { flooding.sent.withLock { $0 } > 1 << 20 }
            await expectPromptResponses(of: server, by: engine, "\(flood)")
            let error = await flooded.value.outcomes.first?.error
            #expect(error?.kind == .badResponse, "\(flood): \(error as Any)")
            // The connection is ended, too.
            try await eventually("\(flood)") { flooding.hasEnded.withLock { $0 } }
        }
    }

    @Test("Others are not kept waiting by content in tiny chunks without end")
    func chunks() async throws {
        let sent = Locked(0)
        let flooding = ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
            let chunks = Array(repeatElement("1\r\nx\r\n".utf8, count: 10_000).joined())
            while connection.write(chunks) { sent.withLock { $0 += chunks.count } }
        }
        defer { flooding.stop() }
        try await withEngine(server: { $0.respondToAll("x") }) { engine, server in
            let handler = RecordingHandler(keepsContent: false)
            let transfer = Transfer(request: TransferRequest(flooding.url), handler: handler)
            engine.start(transfer)
            try await eventually("chunks") { sent.withLock { $0 } > 1 << 20 }
            await expectPromptResponses(of: server, by: engine, "chunks")
            #expect(sent.withLock { $0 } > 1 << 20)
            engine.cancel(transfer)
            #expect(await handler.finished().outcomes.first?.error?.kind == .cancelled)
        }
    }

    private func expectPromptResponses(of server: ScriptedServer, by engine: TransportEngine, _ what: String) async {
        for _ in 0..<20 {
            let start = MonotonicClock.now
            #expect(await engine.run(TransferRequest(server.url)).text == "x")
            let milliseconds = (MonotonicClock.now - start) / 1_000_000
            // Without turns it would be for ever.
            #expect(Double(milliseconds) < 1000 * Patience.factor, "\(what)")
        }
    }

    @Test("A turn ends by the clock, and is over until the next begins")
    func turn() {
        let time = Locked<UInt64>(1_000_000_000)
        let turn = ReadTurn { time.withLock { $0 } }
        #expect((0..<10_000).allSatisfy { _ in turn.continues() })
        time.withLock { $0 += 5_000_000 }
        #expect((0..<4).contains { _ in !turn.continues() })
        #expect(!turn.continues() && !turn.continues())
        // A record of each connection can be read.
        let (first, second) = (OpaquePointer(bitPattern: 1), OpaquePointer(bitPattern: 2))
        for source in [first, second].compactMap({ $0 }) {
            #expect(turn.mayRead(from: source) && turn.mayRead(from: source) && !turn.mayRead(from: source))
        }
        #expect(turn.refusedSource == first)
        turn.begin()
        #expect((0..<10_000).allSatisfy { _ in turn.continues() } && turn.refusedSource == nil)
    }
}
