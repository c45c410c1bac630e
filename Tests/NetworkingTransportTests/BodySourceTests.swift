// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import Glibc
import NetworkingSupport
import Testing

@testable import NetworkingTransport

@Suite("Body sources", .timeLimit(.minutes(1)))
struct BodySourceTests {
    /// Answers with the method, the framing and the content received.
    static let echo: ScriptedServer.Script = { connection in
        while let request = connection.readRequest() {
            let framing = request.value("Content-Length") ?? request.value("Transfer-Encoding") ?? "none"
            connection.write(
                "HTTP/1.1 200 OK\r\nX-Framing: \(framing)\r\nContent-Length: \(request.content.count)\r\n\r\n")
            connection.write(request.content)
        }
    }

    private func upload(_ url: String, _ source: any BodySource) -> TransferRequest {
        var request = TransferRequest(url, method: "POST")
        request.body = .source(source)
        return request
    }

    @Test(
        "A source that knows its length is sent with it, one that does not is sent in chunks", arguments: [true, false])
    func framing(knowsLength: Bool) async {
        await withEngine(server: Self.echo) { engine, server in
            let source = ManualBodySource(length: knowsLength ? 6 : nil)
            let handler = RecordingHandler()
            engine.start(Transfer(request: upload(server.url, source), handler: handler))
            for piece in ["ab", "cd", "ef"] { source.supply(piece) }
            source.end()
            let record = await handler.finished()
            #expect(record.error == nil)
            #expect(record.text == "abcdef")
            #expect(record.sent == 6)
            #expect(record.heads.first?.firstValue(for: "X-Framing") == (knowsLength ? "6" : "chunked"))
            #expect(source.counts == (1, 0, 1))
        }
    }

    @Test(
        "A body shorter or longer than announced is an error, never a request cut short",
        arguments: [0, 3, 4, 5, 7, 100],
        [3, 100])
    func wrongLength(announced: Int64, piece: Int) async {
        await withEngine(server: Self.echo) { engine, server in
            let source = ManualBodySource(length: announced, piece: piece)
            source.supply("abcdef")
            source.end()
            let record = await engine.run(upload(server.url, source))
            #expect(record.error?.kind == .bodySource, "\(String(describing: record.error))")
            #expect(record.heads.isEmpty)
            #expect(source.counts.closes == 1)
        }
    }

    @Test("A body that is announced as empty goes out once it is seen to be; one that never says is believed")
    func emptyBody() async {
        await withEngine(server: Self.echo) { engine, server in
            for ends in [true, false] {
                let source = ManualBodySource(length: 0)
                let handler = RecordingHandler()
                let transfer = Transfer(request: upload(server.url, source), handler: handler)
                engine.start(transfer)
                if ends { source.end() }
                // It waits all the same, and may be cancelled or held.
                engine.hold(transfer)
                engine.release(transfer)
                let record = await handler.finished()
                #expect(record.error == nil && record.heads.first?.firstValue(for: "X-Framing") == "0")
                #expect(source.counts.closes == 1)
            }
            let (cancelled, handler) = (ManualBodySource(length: 0), RecordingHandler())
            let transfer = Transfer(request: upload(server.url, cancelled), handler: handler)
            engine.start(transfer)
            engine.cancel(transfer)
            #expect(await handler.finished().error?.kind == .cancelled)
            #expect(cancelled.counts.closes == 1)
            let failing = ManualBodySource(length: 0)
            failing.fail(BodySourceError("broken"))
            let record = await engine.run(upload(server.url, failing))
            #expect((record.error?.cause as? BodySourceError)?.description == "broken")
        }
    }

    @Test("A source that fails ends the transfer with its error as the cause", arguments: [true, false])
    func failure(afterSomeBytes: Bool) async {
        await withEngine(server: Self.echo) { engine, server in
            let source = ManualBodySource(length: 10)
            if afterSomeBytes { source.supply("abc") }
            let handler = RecordingHandler()
            engine.start(Transfer(request: upload(server.url, source), handler: handler))
            source.fail(BodySourceError("broken"))
            let record = await handler.finished()
            #expect(record.error?.kind == .bodySource)
            #expect((record.error?.cause as? BodySourceError)?.description == "broken")
            #expect(source.counts.closes == 1)
        }
    }

    @Test("A wake-up after the end does nothing")
    func lateWakeUp() async {
        await withEngine(server: { $0.respondToAll("early") }) { engine, server in
            let source = ManualBodySource(length: 10)
            let handler = RecordingHandler()
            let transfer = Transfer(request: upload(server.url, source), handler: handler)
            engine.start(transfer)
            engine.cancel(transfer)
            #expect(await handler.finished().error?.kind == .cancelled)
            source.supply("0123456789")
            source.end()
            #expect(await engine.run(TransferRequest(server.url)).error == nil)
            #expect(handler.record.outcomes.count == 1)
        }
    }

    /// Takes a request on a used connection and closes it without an answer: libcurl tries again.
    static let dropsFirstUpload: ScriptedServer.Script = { connection in
        if connection.number == 1 {
            guard connection.readRequest() != nil else { return }
            connection.respond("x")
            _ = connection.readRequest()
        } else {
            BodySourceTests.echo(connection)
        }
    }

    @Test("Content is sent again on another connection if it can be", arguments: [true, false])
    func replay(canRewind: Bool) async {
        await withEngine(server: Self.dropsFirstUpload) { engine, server in
            #expect(await engine.run(TransferRequest(server.url)).text == "x")
            let source = ManualBodySource(length: 3, canRewind: canRewind)
            source.supply("abc")
            source.end()
            var request = upload(server.url, source)
            request.isIdempotent = true
            let record = await engine.run(request)
            if canRewind {
                #expect(record.error == nil)
                #expect(record.text == "abc")
                #expect(source.counts == (2, 1, 1))
            } else {
                #expect(record.error?.kind == .connectionLost, "\(String(describing: record.error))")
            }
        }
    }

    @Test("Large data is sent again too")
    func replayData() async {
        await withEngine(server: Self.dropsFirstUpload) { engine, server in
            #expect(await engine.run(TransferRequest(server.url)).text == "x")
            var request = TransferRequest(server.url, method: "PUT")
            request.body = .data(Data(repeating: 66, count: 100_000))
            let record = await engine.run(request)
            #expect(record.error == nil)
            #expect(record.content.count == 100_000)
        }
    }

    @Test("A slice of data is sent from its own beginning", arguments: [10, 100_000])
    func slice(count: Int) async {
        await withEngine(server: Self.echo) { engine, server in
            let data = Data((0..<count + 100).map { UInt8(truncatingIfNeeded: $0) })[50..<50 + count]
            var request = TransferRequest(server.url, method: "PUT")
            request.body = .data(data)
            #expect(await engine.run(request).content == Array(data))
        }
    }

    // MARK: Files

    private func withFile<Result>(_ bytes: [UInt8], _ body: (String) async throws -> Result) async throws -> Result {
        let path = NSTemporaryDirectory() + "/body-\(UUID().uuidString)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        return try await body(path)
    }

    @Test("A file, or a part of one, is sent", arguments: [(0, 0), (0, 5), (3, 7), (0, 1_000_000), (1_000, 700_000)])
    func file(offset: Int, length: Int) async throws {
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        try await withFile(bytes) { path in
            await withEngine(server: Self.echo) { engine, server in
                let source = FileBodySource(path: path, offset: Int64(offset), length: Int64(length))
                let record = await engine.run(upload(server.url, source))
                #expect(record.error == nil)
                #expect(record.content == Array(bytes[offset..<offset + length]))
            }
        }
    }

    @Test("A file that is missing, too short, a directory or a FIFO fails the transfer")
    func wrongFile() async throws {
        let fifo = NSTemporaryDirectory() + "/fifo-\(UUID().uuidString)"
        mkfifo(fifo, 0o600)
        defer { unlink(fifo) }
        try await withFile([1, 2, 3]) { path in
            await withEngine(server: Self.echo) { engine, server in
                let cases: [(String, Int64, Int64)] = [
                    ("/no/such/file", 0, 3), (path, 0, 4), (path, 2, 2), (path, -1, 2), ("/tmp", 0, 3), (fifo, 0, 3),
                    (path, .max, 2),
                ]
                for (path, offset, length) in cases {
                    let source = FileBodySource(path: path, offset: offset, length: length)
                    let record = await engine.run(upload(server.url, source))
                    #expect(record.error?.kind == .bodySource)
                    #expect(record.error?.cause is BodySourceError)
                }
                let negative = await engine.run(upload(server.url, FileBodySource(path: path, length: -1)))
                #expect(negative.error?.kind == .badRequest)
            }
        }
    }

    @Test("A file that changes while it is sent fails the transfer", arguments: [true, false])
    func changingFile(grows: Bool) async throws {
        let size = 4_000_000
        try await withFile([UInt8](repeating: 1, count: size)) { path in
            let source = FileBodySource(path: path, length: Int64(size))
            let woken = DispatchSemaphore(value: 0)
            source.open(wakeUp: { woken.signal() })
            var buffer = [UInt8](repeating: 0, count: 50_000)
            var total = 0
            var end: BodyRead?
            while end == nil {
                switch buffer.withUnsafeMutableBytes({ source.read(into: $0) }) {
                case .bytes(let count):
                    if total == 0 {
                        if grows {
                            let file = fopen(path, "a")
                            fputc(1, file)
                            fclose(file)
                        } else {
                            truncate(path, 10)
                        }
                    }
                    total += count
                case .wait: wait(woken)
                case let answer: end = answer
                }
            }
            source.close()
            guard case .failed(let error) = end else {
                Issue.record("ended after \(total) bytes: \(String(describing: end))")
                return
            }
            #expect(error is BodySourceError)
            #expect(total < size)
        }
    }

    /// Blocks: the source is driven from this thread.
    private func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

    // MARK: Streams

    @Test("A stream is sent, opened already or not", arguments: [true, false], [0, 5, 1_000_000])
    func stream(isOpen: Bool, size: Int) async {
        await withEngine(server: Self.echo) { engine, server in
            let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) })
            let stream = InputStream(data: data)
            if isOpen { stream.open() }
            let source = StreamBodySource(stream: stream, contentLength: nil)
            let record = await engine.run(upload(server.url, source))
            #expect(record.error == nil)
            #expect(record.content == Array(data))
        }
    }

    @Test("A stream shorter or longer than announced fails the transfer", arguments: [4, 8], [false, true])
    func streamLength(announced: Int64, isFile: Bool) async throws {
        try await withFile(Array("abcdef".utf8)) { path in
            await withEngine(server: Self.echo) { engine, server in
                let stream = isFile ? InputStream(fileAtPath: path)! : InputStream(data: Data("abcdef".utf8))
                let source = StreamBodySource(stream: stream, contentLength: announced)
                let record = await engine.run(upload(server.url, source))
                #expect(record.error?.kind == .bodySource)
                #expect(record.heads.isEmpty)
            }
        }
    }

    @Test("A stream that cannot be opened fails the transfer")
    func brokenStream() async {
        await withEngine(server: Self.echo) { engine, server in
            let stream = InputStream(fileAtPath: "/no/such/file")!
            let record = await engine.run(upload(server.url, StreamBodySource(stream: stream, contentLength: nil)))
            #expect(record.error?.kind == .bodySource)
        }
    }

    @Test("A stream that blocks does not block other transfers, and what it delivers later is sent")
    func blockingStream() async {
        let fifo = NSTemporaryDirectory() + "/fifo-\(UUID().uuidString)"
        mkfifo(fifo, 0o600)
        defer { unlink(fifo) }
        await withEngine(server: Self.echo) { engine, server in
            let handler = RecordingHandler()
            let source = StreamBodySource(stream: InputStream(fileAtPath: fifo)!, contentLength: nil)
            engine.start(Transfer(request: upload(server.url, source), handler: handler))
            for _ in 0..<10 { #expect(await engine.run(TransferRequest(server.url)).error == nil) }
            #expect(handler.record.outcomes.isEmpty)
            let file = fopen(fifo, "w")
            fputs("from the pipe", file)
            fclose(file)
            let record = await handler.finished()
            #expect(record.error == nil)
            #expect(record.text == "from the pipe")
        }
    }

    @Test("A stream is opened again for another attempt if the caller can")
    func reopen() async {
        await withEngine(server: Self.dropsFirstUpload) { engine, server in
            #expect(await engine.run(TransferRequest(server.url)).text == "x")
            let source = StreamBodySource(
                stream: InputStream(data: Data("abc".utf8)), contentLength: 3,
                reopen: { InputStream(data: Data("abc".utf8)) })
            var request = upload(server.url, source)
            request.isIdempotent = true
            let record = await engine.run(request)
            #expect(record.error == nil)
            #expect(record.text == "abc")
        }
    }
}
