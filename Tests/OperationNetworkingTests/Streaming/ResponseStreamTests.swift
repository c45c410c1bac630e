// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Responses as streams", .serialized, .timeLimit(.minutes(2))) struct ResponseStreamTests {
    private static func whole(_ operation: HTTPRequestOperation) async throws -> Data {
        try await operation.chunks.reduce(into: Data()) { $0.append($1) }
    }

    // MARK: The content

    @Test("Chunks come before the response is complete, and start an operation that nobody has")
    func early() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respondToOthers { _ in
            ScriptedResponse(body: .chunks(["first", "second"])).holding(gate, at: .betweenPieces)
        }
        let operation = HTTPRequestOperation.make(server.url())
        var pieces: [String] = []
        for try await chunk in operation.chunks {
            pieces.append(String(decoding: chunk, as: UTF8.self))
            if pieces.count == 1 {
                #expect(operation.isExecuting)
                gate.open()
            }
        }
        #expect(pieces == ["first", "second"])
        #expect(operation.isFinished && operation.error == nil && operation.responseData == nil)
        #expect(operation.response?.statusCode == 200 && operation.metrics != nil)
        #expect(server.requests.count == 1)
    }

    @Test("A CR ends a line at once, and an LF that comes later belongs to it")
    func lineAtCR() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respondToOthers { _ in
            ScriptedResponse(body: .chunks(["a\r", "\nb\r", "c"])).holding(gate, at: .betweenPieces)
        }
        let operation = HTTPRequestOperation.make(server.url())
        operation.responseSerializer = HTTPResponseSerializer()
        var lines: [String] = []
        for try await line in operation.lines {
            lines.append(line)
            gate.open()
        }
        #expect(lines == ["a", "b", "c"])
    }

    @Test("The same bytes as chunks, bytes and lines")
    func forms() async throws {
        let server = try TestServer()
        let text = (0..<3000).map { "line \($0)" }.joined(separator: "\r\n")
        server.respondToOthers { _ in .ok(text) }
        #expect(try await Self.whole(.make(server.url())) == Data(text.utf8))
        let bytes = try await HTTPRequestOperation.make(server.url()).bytes.reduce(into: [UInt8]()) { $0.append($1) }
        #expect(bytes == Array(text.utf8))
        let lines = await HTTPRequestOperation.make(server.url()).lines.collected()
        #expect(lines.error == nil && lines.elements == (0..<3000).map { "line \($0)" })
    }

    @Test("An operation in a queue, of either kind, is read and not started twice", arguments: [false, true])
    func queued(isOurs: Bool) async throws {
        let server = try TestServer()
        let content = ScriptedResponse.longPattern(count: 3_000_000)
        server.respondToOthers { _ in ScriptedResponse(body: .data(content)) }
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        queue.maxConcurrentOperationCount = 1
        for _ in 0..<3 {
            let operation = HTTPRequestOperation.make(server.url())
            queue.addOperation(operation)
            #expect(try await Self.whole(operation) == content)
        }
        #expect(server.requests.count == 3)
    }

    @Test("What was collected before anybody asked for a stream goes to it, as does that of a finished operation")
    func late() async throws {
        let server = try TestServer()
        let gate = Gate()
        let content = ScriptedResponse.longPattern(count: 200_000)
        server.respondToOthers { _ in
            ScriptedResponse(body: .data(content)).with { $0.pieceSize = 100_000 }.holding(gate, at: .betweenPieces)
        }
        let operation = HTTPRequestOperation.make(server.url())
        let progress = Recorder<Int64>()
        operation.setDownloadProgressBlock { _, total, _ in progress.append(total) }
        operation.start()
        try await eventually { progress.last ?? 0 == 100_000 }
        var received = Data()
        for try await chunk in operation.chunks {
            received += chunk
            gate.open()
        }
        #expect(received == content && operation.responseData == nil)

        let finished = HTTPRequestOperation.make(server.url())
        await finished.run()
        #expect(try await Self.whole(finished) == content)
    }

    @Test("However much was collected before anybody asked for a stream, it comes in pieces")
    func lateAndLarge() async throws {
        let server = try TestServer()
        let gate = Gate()
        let content = Data.random(5_000_000)
        server.respondToOthers { _ in
            ScriptedResponse(body: .data(content)).with { $0.pieceSize = 4_500_000 }.holding(gate, at: .betweenPieces)
        }
        let operation = HTTPRequestOperation.make(server.url())
        let progress = Recorder<Int64>()
        operation.setDownloadProgressBlock { _, total, _ in progress.append(total) }
        operation.start()
        try await eventually { progress.last ?? 0 == 4_500_000 }
        var (received, largest) = (Data(), 0)
        for try await chunk in operation.chunks {
            received += chunk
            largest = max(largest, chunk.count)
            gate.open()
        }
        #expect(received == content && operation.error == nil)
        #expect(largest <= 1 << 16)
    }

    @Test("Coded content is decoded, within bounds: zeros that gzip made small, and what does not decode")
    func coded() async throws {
        let server = try TestServer()
        let size = 64 << 20
        let coded = try CodedContentTests.gzippedZeros(size)
        server.respond(to: "/zeros", ScriptedResponse(headers: [("Content-Encoding", "gzip")], body: .data(coded)))
        let before = ResidentMemory.bytes
        var (total, largest) = (0, 0)
        for try await chunk in HTTPRequestOperation.make(server.url("/zeros")).chunks {
            total += chunk.count
            largest = max(largest, ResidentMemory.bytes)
        }
        #expect(total == size && largest - before < 16 << 20)

        let broken = Data("good".utf8).gzipped.dropLast(5)
        server.respond(to: "/broken", ScriptedResponse(headers: [("Content-Encoding", "gzip")], body: .data(broken)))
        let operation = HTTPRequestOperation.make(server.url("/broken"))
        let (pieces, error) = await operation.chunks.collected()
        #expect(pieces == [Data("good".utf8)])
        #expect((error as? URLError)?.code == .cannotDecodeContentData)
        #expect(operation.errorCode == URLError.cannotDecodeContentData.rawValue)
    }

    @Test("A pause and a resume in between: each byte once", arguments: ["\"tag\"", nil])
    func paused(tag: String?) async throws {
        let server = try TestServer()
        let content = Data.random(900_000)
        let count = Tally()
        server.respondToOthers { _ in
            let response = ScriptedResponse(body: .resource(content, etag: tag, lastModified: nil))
            return count.increment() == 1 ? response.ending(.stall, afterBodyBytes: 400_000) : response
        }
        let operation = HTTPRequestOperation.make(server.url())
        var received = Data()
        var isPaused = false
        for try await chunk in operation.chunks {
            received += chunk
            if received.count >= 300_000, !isPaused {
                isPaused = true
                operation.pause()
                operation.resume()
            }
        }
        #expect(isPaused && received == content && operation.error == nil)
        #expect(server.requests.count == 2 && (server.requests[1]["Range"] != nil) == (tag != nil))
    }

    // MARK: Pace

    @Test("Nobody reads: the transfer pauses, in bounded memory, and others do not; then it goes on")
    func backPressure() async throws {
        var limits = TestServer.Limits()
        limits.sendBuffer = 1 << 16
        let server = try TestServer(limits: limits)
        let size = 256 << 20
        server.respond(to: "/big", ScriptedResponse(body: .pattern(count: size)))
        server.respond(to: "/small", .ok("x"))
        let operation = HTTPRequestOperation.make(server.url("/big"))
        let before = ResidentMemory.bytes
        var chunks = operation.chunks.makeAsyncIterator()
        var received = try #require(try await chunks.next()).count
        let sent = try await server.bytesSentAtStandstill()
        #expect(sent < 16 << 20)
        for _ in 0..<50 {
            #expect(try await HTTPRequestOperation.make(server.url("/small")).data().0 == Data("x".utf8))
        }
        #expect(operation.isExecuting)
        var (largest, isRight) = (0, true)
        while let chunk = try await chunks.next() {
            isRight = isRight && chunk.first == ScriptedResponse.pattern(at: received)
            received += chunk.count
            if received % 64 == 0 { largest = max(largest, ResidentMemory.bytes) }
        }
        #expect(received == size && isRight)
        #expect(largest - before < 16 << 20)
    }

    /// `STREAM_MEGABYTES=1024` for 100 seconds of it.
    @Test("A reader of 10 MB/s: bounded memory, and the speed of others is what it was")
    func pacedReader() async throws {
        let megabytes = ProcessInfo.processInfo.environment["STREAM_MEGABYTES"].flatMap { Int($0) } ?? 32
        let nginx = try NginxServer.serving(["small": Data("x".utf8), "large": Data()])
        let file = FileHandle(forUpdatingAtPath: nginx.layout.root + "/large")
        try file?.truncate(atOffset: UInt64(megabytes) << 20)
        defer { nginx.stop() }
        func small() async throws -> Duration {
            let start = ContinuousClock.now
            let content = try await HTTPRequestOperation.make(nginx.url("/small")).data().0
            #expect(content == Data("x".utf8))
            return ContinuousClock.now - start
        }
        var alone: [Duration] = []
        for _ in 0..<50 { alone.append(try await small()) }
        let before = ResidentMemory.bytes
        let (start, clock) = (ContinuousClock.now, ContinuousClock())
        var (received, largest, beside) = (0, 0, [Duration]())
        for try await chunk in HTTPRequestOperation.make(nginx.url("/large")).chunks {
            received += chunk.count
            if received >> 20 > beside.count {
                largest = max(largest, ResidentMemory.bytes)
                beside.append(try await small())
            }
            try await clock.sleep(until: start + .seconds(Double(received) / 10e6))
        }
        #expect(received == megabytes << 20)
        #expect(largest - before < 16 << 20)
        let (usual, now) = (alone.sorted()[alone.count / 2], beside.sorted()[beside.count / 2])
        #expect(now < usual * 2 + .milliseconds(5), "\(now) in place of \(usual)")
    }

    // MARK: Ends

    @Test("Leaving the loop cancels, and so does cancelling the task", arguments: [false, true])
    func leaving(byTask: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("0123456789").ending(.stall, afterBodyBytes: 5) }
        let operation = HTTPRequestOperation.make(server.url())
        if byTask {
            let started = Gate()
            let task = Task {
                for try await _ in operation.chunks { started.open() }
            }
            await started.wait()
            task.cancel()
            await #expect(throws: URLError.self) { try await task.value }
        } else {
            for try await _ in operation.chunks { break }
        }
        await operation.completed()
        #expect(operation.isCancelledError)
        try await eventually("the connection's end") { server.openConnectionCount == 0 }
    }

    @Test("A sequence that nobody reads holds nothing up once it is gone, and nobody reads after that")
    func unread() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in ScriptedResponse(body: .pattern(count: 5_000_000)) }
        let operation = HTTPRequestOperation.make(server.url())
        let sequence = Locked<ResponseChunks?>(operation.chunks)
        operation.start()
        _ = try await server.bytesSentAtStandstill()
        #expect(operation.isExecuting)
        sequence.withLock { $0 = nil }
        await operation.completed()
        #expect(operation.error == nil)
        #expect(await operation.chunks.collected().error as? ResponseStreamError == .alreadyRead)
    }

    @Test("One reads: another one gets an error, and so does one whose content goes to a file or stream")
    func second() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("text") }
        let operation = HTTPRequestOperation.make(server.url())
        for try await _ in operation.chunks {
            #expect(await operation.lines.collected().error as? ResponseStreamError == .alreadyRead)
        }
        #expect(operation.error == nil)
        #expect(await operation.bytes.collected().error as? ResponseStreamError == .alreadyRead)
        let copy = try #require(operation.copy() as? HTTPRequestOperation)
        #expect(try await Self.whole(copy) == Data("text".utf8))
        let elsewhere = HTTPRequestOperation.make(server.url())
        elsewhere.outputStream = OutputStream.toMemory()
        #expect(await elsewhere.chunks.collected().error as? ResponseStreamError == .contentGoesElsewhere)
        #expect(elsewhere.state == .ready)
    }

    @Test("A connection that is lost: what came, and then the operation's error")
    func lost() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("one\ntwo\nthr").claiming(contentLength: 20).ending(.closeUnannounced) }
        let operation = HTTPRequestOperation.make(server.url())
        let (lines, error) = await operation.lines.collected()
        #expect(lines == ["one", "two"])
        #expect((error as? URLError)?.code == .networkConnectionLost)
        #expect(operation.errorCode == URLError.networkConnectionLost.rawValue)
    }

    @Test("A line that is too long ends the sequence with an error, and the operation")
    func longLine() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in ScriptedResponse(body: .pattern(count: 50_000_000)) }
        let operation = HTTPRequestOperation.make(server.url())
        var lines = operation.lines
        lines.maximumLineLength = 100
        #expect(await lines.collected().error as? ResponseStreamError == .lineTooLong(limit: 100))
        await operation.completed()
        #expect(operation.isCancelledError)
    }

    @Test("maximumResponseBodySize counts for streams")
    func limit() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in ScriptedResponse(body: .pattern(count: 1_000_000)) }
        let operation = HTTPRequestOperation.make(server.url())
        operation.maximumResponseBodySize = 300_000
        let (chunks, error) = await operation.chunks.collected()
        #expect(chunks.reduce(0) { $0 + $1.count } <= 300_000)
        #expect((error as? URLError)?.code == .dataLengthExceedsMaximum)
    }

    @Test("data() gives content and response, and throws what a failure block would get")
    func data() async throws {
        let server = try TestServer()
        server.respond(to: "/good", .ok("text"))
        let (data, response) = try await HTTPRequestOperation.make(server.url("/good")).data()
        #expect(data == Data("text".utf8) && response.statusCode == 200)
        await #expect(throws: ResponseSerializationError.self) {
            try await HTTPRequestOperation.make(server.url("/missing")).data()
        }
    }

    // MARK: Failing

    /// What an attempt is told by its sink.
    private final class Told: ResponseSinkEvents {
        let failures = Tally()
        func sinkHasSpace() {}
        func atRest(_ work: @escaping @Sendable () -> Void) { work() }
        func sinkFailed(_ error: any Error) { failures.increment() }
    }

    @Test("What cannot be read on fails each attempt, also one that begins when the one before was paused")
    func unreadable() {
        let stream = ResponseStream()
        stream.addReader()
        /// An attempt's content. False: it was not taken.
        func begin(_ content: String, _ told: Told) -> Bool {
            stream.open(told)
            stream.begin(nil, as: .plain)
            if let response = stream.undecidedResponse { stream.decide(isAcceptable: true, on: response) }
            guard case .accepted = Array(content.utf8).withUnsafeBytes({ stream.write($0) }) else { return false }
            return true
        }
        func read() -> Data? {
            guard case .content(let data) = stream.read() else { return nil }
            return data
        }
        #expect(begin("abc", Told()))
        #expect(stream.claim())
        #expect(read() == Data("abc".utf8))
        let paused = Told()
        #expect(begin("abx", paused))
        #expect(read() == nil)
        // An attempt that was paused meanwhile does not listen.
        #expect(paused.failures.value == 1)
        #expect(!begin("abc", Told()))
        let failed = Tally()
        stream.finish { error in if error != nil { failed.increment() } }
        #expect(failed.value == 1)
        #expect(!stream.holdsAttempt)
    }
}
