// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import NetworkingTransport

/// Content that the engine takes out of its codings.
@Suite("Coded transfers", .timeLimit(.minutes(1))) struct CodedTransferTests {
    private static let content = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })

    private enum Framing: CaseIterable, Sendable { case length, chunks, end }

    private static func send(_ content: Data, _ framing: Framing, over connection: ScriptedConnection) {
        connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n")
        switch framing {
        case .length:
            connection.write("Content-Length: \(content.count)\r\n\r\n")
            connection.write([UInt8](content))
        case .chunks:
            connection.write("Transfer-Encoding: chunked\r\n\r\n\(String(content.count, radix: 16))\r\n")
            connection.write([UInt8](content))
            connection.write("\r\n0\r\n\r\n")
        case .end:
            connection.write("\r\n")
            connection.write([UInt8](content))
        }
    }

    @Test(
        "A handler that pauses at every piece gets each byte once, however the content is framed",
        arguments: Framing.allCases)
    private func pauses(framing: Framing) async throws {
        let coded = try GzipEncoder.encode(Self.content)
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            Self.send(coded, framing, over: connection)
        }) { engine, server in
            let pauses = Locked((count: 0, isDue: true))
            let handler = RecordingHandler(onContent: { [engine] transfer, _ in
                let isDue = pauses.withLock { state in
                    defer { state.isDue.toggle() }
                    state.count += state.isDue ? 1 : 0
                    return state.isDue
                }
                guard isDue else { return .accepted }
                engine.resumeReceiving(transfer)
                return .pause
            })
            let record = await engine.run(TransferRequest(server.url), handler)
            #expect(record.error == nil && Data(record.content) == Self.content)
            #expect(pauses.withLock { $0.count } > 3)
        }
    }

    @Test("What decodes to more than one turn's share goes on by itself, with nothing else to do")
    func turns() async throws {
        let coded = try GzipEncoder.encode(Data(count: 20 << 20))
        await withEngine(server: { connection in
            while connection.readRequest() != nil { Self.send(coded, .length, over: connection) }
        }) { engine, server in
            // On a connection that is there already libcurl has no timers of its own.
            for _ in 0..<2 {
                let start = MonotonicClock.now
                let record = await engine.run(
                    TransferRequest(server.url), RecordingHandler(keepsContent: false))
                #expect(record.error == nil && record.receivedCount == 20 << 20)
                #expect(MonotonicClock.now - start < 10_000_000_000)
            }
        }
    }

    /// Takes content to its end, and expects that it takes many turns and none of them long.
    private func expectTurns(_ coded: [UInt8], _ codings: [ContentDecoder.Coding]) {
        let content = DecodedContent(codings)
        var (total, largest, turns) = (0, 0, 0)
        coded.withUnsafeBytes { bytes in
            while turns < 1000 {
                var received = 0
                let result = content.take(bytes) { piece in
                    received += piece.count
                    return .accepted
                }
                total += received
                largest = max(largest, received)
                turns += 1
                guard case .pause = result else { break }
                #expect(content.hasYielded)
            }
        }
        #expect(total >= 32 << 20 && turns > 1)
        #expect(largest <= 16 << 20)
    }

    @Test(
        "Long runs, of which four bytes make many, do not take a turn together",
        .enabled(if: ContentDecoder.available.contains("zstd")))
    func runs() {
        // Blocks of 131 072 times one byte, in a frame with a window of that length (RFC 8878, section 3.1.1).
        let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
        let block: [UInt8] = [0x02, 0x00, 0x10, 0x41]
        expectTurns(frame + Array(repeatElement(block, count: 1022).joined()), [.zstd])
    }

    @Test("Codings on top of each other do not make a long turn after content that had little in it")
    func runsAfterNoise() throws {
        let noise = Data((0..<33_000).map { _ in UInt8.random(in: .min ... .max) })
        let inner = [UInt8](try GzipEncoder.encode(noise) + GzipEncoder.encode(Data(count: 48 << 20)))
        // In blocks that are stored as they are (RFC 1952, RFC 1951, section 3.2.4).
        var coded: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        for start in stride(from: 0, to: inner.count, by: 32_768) {
            let block = inner[start..<min(start + 32_768, inner.count)]
            let length = UInt16(block.count)
            coded.append(0)
            for number in [length, ~length] { coded += [UInt8(number & 0xFF), UInt8(number >> 8)] }
            coded += block
        }
        expectTurns(coded, [.gzip, .gzip])
    }

    @Test("A handler that pauses is waited for, also where its turn ends, too", arguments: [1, 20, 70, 200])
    func pauseAtTurn(piece: Int) throws {
        let size = 20 << 20
        let coded = try GzipEncoder.encode(Data(count: size))
        let content = DecodedContent([.gzip])
        var (calls, received, yields) = (0, 0, 0)
        var isPaused = false
        coded.withUnsafeBytes { bytes in
            while calls < 1000 {
                let result = content.take(bytes) {
                    calls += 1
                    isPaused = calls == piece
                    if isPaused { return .pause }
                    received += $0.count
                    return .accepted
                }
                if case .accepted = result { break }
                #expect(content.hasYielded == !isPaused)
                if !isPaused { yields += 1 }
                isPaused = false
            }
        }
        #expect(content.finish() == nil)
        #expect(received == size && yields > 0)
    }

    @Test("Content that ends before its coding does is an error, however it is framed", arguments: Framing.allCases)
    private func cut(framing: Framing) async throws {
        let coded = try GzipEncoder.encode(Self.content)
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            Self.send(coded.dropLast(connection.number), framing, over: connection)
        }) { engine, server in
            for _ in 0..<12 {
                let record = await engine.run(TransferRequest(server.url))
                #expect(record.error?.kind == .cannotDecodeContent)
                #expect(record.error?.message.contains("ends early") == true)
            }
        }
    }

    @Test("Two codings on top of each other are undone; of content in three of them nothing is")
    func nested() async throws {
        let two = try GzipEncoder.encode(GzipEncoder.encode(Data("content".utf8)))
        let three = try GzipEncoder.encode(two)
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                let isThree = request.head.contains("/three")
                let coded = isThree ? three : two
                connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\(isThree ? ", gzip" : ""), gzip\r\n")
                connection.write("Content-Length: \(coded.count)\r\n\r\n")
                connection.write([UInt8](coded))
            }
        }) { engine, server in
            let decoded = await engine.run(TransferRequest(server.url + "/two"))
            #expect(decoded.error == nil && decoded.text == "content")
            let refused = await engine.run(TransferRequest(server.url + "/three"))
            #expect(refused.error?.kind == .cannotDecodeContent)
            #expect(refused.error?.message.contains("more than 2 codings") == true)
            #expect(refused.receivedCount == 0)
        }
    }

    @Test("A handler that has enough ends the transfer well, in the middle of a coding")
    func enough() async throws {
        let coded = try GzipEncoder.encode(Self.content)
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            Self.send(coded, .length, over: connection)
        }) { engine, server in
            let record = await engine.run(
                TransferRequest(server.url), RecordingHandler(onContent: { _, _ in .enough }))
            #expect(record.error == nil && record.outcomes.count == 1)
        }
    }
}
