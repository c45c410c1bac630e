// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

/// Servers that send what belongs to no response, and not so fast that they fill the network thread.
@Suite("Use of what is read", .timeLimit(.minutes(2)), .serialized)
struct ReadUseTests {
    typealias Frame = HTTP2Frame

    /// What is sent every millisecond, for ever.
    private static let floods: [(name: String, bytes: [UInt8])] = {
        var unknown = Frame(.data, stream: 1, [UInt8](repeating: 0, count: 16_384))
        unknown.kind = 0x42
        var unknownOfConnection = unknown
        unknownOfConnection.stream = 0
        func many(_ frame: Frame, _ count: Int = 1000) -> [UInt8] {
            Array(repeatElement(frame.bytes, count: count).joined())
        }
        let padding = [UInt8](repeating: 0, count: 255)
        return [
            ("unknown frames", unknown.bytes), ("unknown frames of the connection", unknownOfConnection.bytes),
            ("empty DATA", many(.data(1, ""))),
            ("padding alone", many(Frame(.data, Frame.padded, stream: 1, [255] + padding), 20)),
            ("PRIORITY", many(Frame(.priority, stream: 3, Frame.big(UInt32(1)) + [7]))),
            ("WINDOW_UPDATE", many(.window(0, 1), 500)),
            ("settings' acknowledgements", many(.ping(1, acknowledges: true))),
            ("content, and a thousand times as much besides", Frame.data(1, "x").bytes + unknown.bytes),
        ]
    }()

    /// Ends by the engine's verdict, and soon.
    private func expectFlood(
        _ name: String, isHTTP2: Bool = true, _ script: @escaping @Sendable (ScriptedConnection) -> Void
    ) async {
        let start = ContinuousClock.now
        let record = await withEngine(server: script) { engine, server in
            var request = isHTTP2 ? HTTP2FrameTests.request(server) : TransferRequest(server.url)
            request.idleTimeout = 60
            return await engine.run(request)
        }
        #expect(record.error?.kind == .badResponse, "\(name): \(record.error as Any)")
        #expect(record.error?.message.contains("without end") == true, "\(name): \(record.error as Any)")
        #expect(ContinuousClock.now - start < .seconds(20 * Patience.factor), "\(name)")
    }

    @Test(
        "Frames that carry nothing end the connection, before and after a response has begun", arguments: [true, false])
    func frames(hasHead: Bool) async {
        for (name, bytes) in Self.floods
        where hasHead || !name.contains("DATA") && !name.contains("content") && !name.contains("padding") {
            await expectFlood(name) { connection in
                guard connection.beginHTTP2(), let stream = connection.nextRequestStream() else { return }
                if hasHead { connection.put(.ok(stream)) }
                while connection.write(bytes) { usleep(1000) }
            }
        }
    }

    @Test("So do extensions of chunks, which nobody reads")
    func chunks() async {
        let chunk = Array("1;\(String(repeating: "x", count: 16_000))\r\nx\r\n".utf8)
        await expectFlood("extensions", isHTTP2: false) { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
            while connection.write(chunk) { usleep(1000) }
        }
    }

    @Test("Content in pieces of a byte is content, however it is wrapped", arguments: [true, false])
    func tinyContent(isHTTP2: Bool) async {
        let count = 200_000
        let record = await withEngine(server: { connection in
            if isHTTP2 {
                guard connection.beginHTTP2(), let stream = connection.nextRequestStream() else { return }
                connection.put(.ok(stream))
                let frame = Frame(.data, Frame.padded, stream: stream, [20, 65] + [UInt8](repeating: 0, count: 20))
                    .bytes
                for _ in 0..<count / 100 { connection.write(Array(repeatElement(frame, count: 100).joined())) }
                connection.put(.data(stream, "", ends: true))
            } else {
                guard connection.readRequest() != nil else { return }
                connection.write(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
                let chunks = Array(repeatElement("1;name=value\r\nA\r\n".utf8, count: 100).joined())
                for _ in 0..<count / 100 { connection.write(chunks) }
                connection.write(Array("0\r\n\r\n".utf8))
            }
            connection.waitForClient()
        }) { engine, server in
            var request = isHTTP2 ? HTTP2FrameTests.request(server) : TransferRequest(server.url)
            request.idleTimeout = 60
            return await engine.run(request)
        }
        #expect(record.error == nil && record.content.count == count, "\(record.error as Any) \(record.content.count)")
    }

    @Test("Content that waits for its reader is not taken for something else", arguments: [true, false])
    func pausedReader(isHTTP2: Bool) async {
        let size = 24 << 20
        let record = await withEngine(server: { connection in
            let piece = [UInt8](repeating: 65, count: 16_384)
            if isHTTP2 {
                guard connection.beginHTTP2(), let stream = connection.nextRequestStream() else { return }
                connection.put(.ok(stream))
                for _ in 0..<size / piece.count { connection.put(Frame(.data, stream: stream, piece)) }
                connection.put(.data(stream, "", ends: true))
            } else {
                guard connection.readRequest() != nil else { return }
                connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8))
                for _ in 0..<size / piece.count { connection.write(piece) }
            }
            connection.waitForClient()
        }) { engine, server -> RecordingHandler.Record in
            var request = isHTTP2 ? HTTP2FrameTests.request(server) : TransferRequest(server.url)
            request.idleTimeout = 60
            let pauses = Locked(0)
            let handler = RecordingHandler(
                keepsContent: false,
                onContent: { transfer, _ in
                    let number = pauses.withLock { pauses -> Int in
                        pauses += 1
                        return pauses
                    }
                    guard number % 100 == 1 else { return .accepted }
                    Task {
                        try? await Task.sleep(for: .milliseconds(20))
                        engine.resumeReceiving(transfer)
                    }
                    return .pause
                })
            engine.start(Transfer(request: request, handler: handler))
            return await handler.finished()
        }
        #expect(record.error == nil && record.receivedCount == size, "\(record.error as Any) \(record.receivedCount)")
    }

    @Test("A response that somebody has given up does not count against those that share its connection")
    func abandoned() async {
        let gate = Gate()
        let record = await withEngine(server: { connection in
            guard connection.beginHTTP2(), let first = connection.nextRequestStream(),
                let second = connection.nextRequestStream()
            else { return }
            connection.put(.ok(first), .ok(second), .data(second, "con"))
            _ = gate.wait(timeout: 20)
            // Within the stream's window: the reset may be under way.
            let piece = [UInt8](repeating: 65, count: 16_384)
            for _ in 0..<1200 {
                guard connection.put(Frame(.data, stream: first, piece)) else { return }
            }
            connection.put(.data(second, "tent", ends: true))
            connection.waitForClient()
        }) { engine, server -> RecordingHandler.Record in
            var request = HTTP2FrameTests.request(server)
            request.idleTimeout = 60
            let (given, kept) = (RecordingHandler(keepsContent: false), RecordingHandler())
            let transfer = Transfer(request: request, handler: given)
            engine.start(transfer)
            engine.start(Transfer(request: request, handler: kept))
            try? await eventually("both have begun") { given.record.status == 200 && kept.record.text == "con" }
            engine.cancel(transfer)
            _ = await given.finished()
            gate.open()
            return await kept.finished()
        }
        #expect(record.error == nil && record.text == "content", "\(record.error as Any)")
    }

    @Test("Questions once in a while are answered for as long as it takes")
    func questions() async {
        let record = await withEngine(server: { connection in
            guard connection.beginHTTP2(), let stream = connection.nextRequestStream() else { return }
            for number in 0..<300 {
                connection.put(.ping(UInt64(number)), .window(0, 1))
                usleep(5000)
            }
            connection.put(.ok(stream), .data(stream, "content", ends: true))
            connection.waitForClient()
        }) { engine, server in
            var request = HTTP2FrameTests.request(server)
            request.idleTimeout = 60
            return await engine.run(request)
        }
        #expect(record.error == nil && record.text == "content", "\(record.error as Any)")
    }

    // MARK: The measure

    /// What is said of each look, a millisecond after the one before.
    private func looks(
        _ count: UInt64 = 1000, bytes: UInt64, credit: Int64 = 0, pause: UInt64 = 1_000_000
    ) -> [Bool] {
        var use = ReadUse()
        return (0...count).map {
            use.look(bytesRead: (1 << 30) + bytes * $0, credit: credit, isVain: credit == 0, now: 1 + pause * $0)
        }
    }

    @Test("A little for ever, or much against as much of use, is put up with; more is not")
    func measure() {
        let second: UInt64 = 1_000_000_000
        // A day of one question a second, and of a frame of 16 KiB.
        #expect(!looks(86_400, bytes: 16_384, pause: second).contains(true))
        #expect(looks(bytes: 16_384).contains(true) && looks(bytes: 16_384, credit: 514).contains(true))
        #expect(!looks(bytes: 16_384, credit: 16_384).contains(true) && !looks(bytes: 4000).contains(true))
        // By the number of reads.
        #expect(looks(11_000, bytes: 9).contains(true) && !looks(11_000, bytes: 9, credit: 9).contains(true))
        #expect(!looks(20_000, bytes: 9, pause: 20_000_000).contains(true))
    }

    /// With HTTP/2 libcurl reads for one transfer, and hands over to others later.
    @Test("A read is of use where what came was handed over since, though not by the read itself")
    func laterUse() {
        var use = ReadUse()
        let verdicts = (0...UInt64(11_000)).map {
            use.look(bytesRead: 9 * $0, credit: 9, isVain: true, now: 1 + 1_000_000 * $0)
        }
        #expect(!verdicts.contains(true))
    }

    @Test("What a transfer has left behind is put up with, once")
    func grace() {
        var use = ReadUse()
        _ = use.look(bytesRead: 0, credit: 0, isVain: true, now: 1)
        use.noteAbandoned()
        let verdicts = [32, 35, 41].enumerated().map { index, size in
            use.look(bytesRead: UInt64(size) << 20, credit: 0, isVain: true, now: UInt64(index) + 2)
        }
        #expect(verdicts == [false, false, true])
        var other = ReadUse()
        _ = other.look(bytesRead: 0, credit: 0, isVain: true, now: 1)
        other.forgive(bytesRead: 1 << 30, now: 2)
        let isFlooded = other.look(bytesRead: 1 << 30, credit: 0, isVain: true, now: 3)
        #expect(!isFlooded)
    }
}
