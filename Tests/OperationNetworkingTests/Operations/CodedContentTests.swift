// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Coded content to streams and files", .serialized, .timeLimit(.minutes(2))) struct CodedContentTests {
    private static let content = Data.random(300_000)

    private static func response(_ coding: String, _ data: Data, status: Int = 200) -> ScriptedResponse {
        ScriptedResponse(status: status, headers: [("Content-Encoding", coding)], body: .data(data))
    }

    /// What gzip makes of zeros, made without them being in memory.
    static func gzippedZeros(_ count: Int) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "head -c \(count) /dev/zero | gzip -c"]
        process.standardOutput = output
        try process.run()
        let result = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return result
    }

    // MARK: The whole

    @Test(
        "100 MB of zeros go through a slow stream whole and in bounded memory, whatever the attempts",
        arguments: [0, 2])
    func zerosToStream(pauses: Int) async throws {
        let server = try TestServer()
        let (size, coded) = (100 << 20, try Self.gzippedZeros(100 << 20))
        server.respondToOthers { _ in Self.response("gzip", coded) }
        let stream = SlowStream()
        let operation = HTTPRequestOperation.make(server.url())
        operation.outputStream = stream
        let before = ResidentMemory.bytes
        operation.start()
        for pause in 0..<pauses {
            try await eventually { stream.count > (pause + 1) * 10_000_000 || operation.isFinished }
            operation.pause()
            operation.resume()
        }
        await operation.completed()
        #expect(operation.error == nil && stream.count == size && stream.isZero)
        #expect(stream.largestResidentSize - before < 16 << 20)
        #expect(server.requests.allSatisfy { $0["Accept-Encoding"] == ContentDecoder.acceptEncoding })
    }

    @Test("Few bytes that decode to very many hold up no other host", arguments: [false, true])
    func manyBytesOfFew(isNested: Bool) async throws {
        let server = try TestServer()
        let size = 200 << 20
        var coded = try Self.gzippedZeros(size)
        if isNested { coded = try GzipEncoder.encode(coded) }
        server.respondToOthers { [coded] _ in Self.response(isNested ? "gzip, gzip" : "gzip", coded) }
        let ((count, time), wait) = try await Bystander().longestWait { () -> (Int?, Duration) in
            let operation = HTTPRequestOperation.make(server.url())
            operation.responseSerializer = HTTPResponseSerializer()
            let start = ContinuousClock.now
            operation.start()
            await operation.completed()
            return (operation.responseData?.count, ContinuousClock.now - start)
        }
        #expect(count == size)
        // All at once, it would be as long as the whole takes, or nearly.
        #expect(wait < max(time / 2, .milliseconds(100)), "\(wait) of \(time)")
    }

    @Test("100 MB of zeros go to a file whole, and it is the file whose digest was wanted")
    func zerosToFile() async throws {
        let server = try TestServer()
        let directory = try TemporaryDirectory()
        let (size, coded) = (100 << 20, try Self.gzippedZeros(100 << 20))
        server.respondToOthers { _ in Self.response("gzip", coded) }
        let target = directory.file("zeros")
        let operation = HTTPRequestOperation.make(server.url())
        var hasher = SHA256Hasher()
        let block = Data(count: 1 << 20)
        for _ in 0..<100 { block.withUnsafeBytes { hasher.update($0) } }
        operation.downloadDestination = DownloadDestination(fileURL: target, sha256: try hasher.finish())
        let progress = Recorder<[Int64]>()
        operation.setDownloadProgressBlock { progress.append([$1, $2]) }
        await operation.run()
        #expect(operation.error == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: target.path)
        #expect(attributes[.size] as? Int == size)
        #expect(progress.last == [Int64(coded.count), Int64(coded.count)])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["zeros"])
    }

    @Test("Every coding that is offered is decoded", arguments: PauseRun.Place.allCases)
    func codings(place: PauseRun.Place) async throws {
        let gzip = try GzipEncoder.encode(Self.content)
        var coded: [(String, Data)] = try [
            ("gzip", gzip), ("x-gzip", gzip), ("deflate", gzip.dropFirst(10).dropLast(8)), ("identity", Self.content),
            ("gzip, gzip", GzipEncoder.encode(gzip)),
        ]
        coded.append(("gzip", try gzip + GzipEncoder.encode(Data())))
        for (coding, data) in coded {
            let outcome = try await PauseRun(place: place, pauses: []).run { _, _ in Self.response(coding, Data(data)) }
            #expect(outcome.operation.error == nil && outcome.content == Self.content, "\(coding)")
        }
    }

    /// A part of a coded representation does not decode.
    @Test("Who asks for a range himself gets the range, and no coding of it is asked for")
    func ownRange() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ranged(Self.content, etag: "\"a\"") }
        let operation = HTTPRequestOperation(server.url(), headers: ["Range": "bytes=10-19"])
        await operation.run()
        #expect(operation.response?.statusCode == 206 && operation.responseData == Self.content[10..<20])
        #expect(server.requests.first?["Accept-Encoding"] == "identity")
    }

    @Test("What a user accepts himself comes as it came", arguments: PauseRun.Place.allCases)
    func ownAcceptEncoding(place: PauseRun.Place) async throws {
        let outcome = try await PauseRun(place: place, pauses: []).run {
            $0.setValue("br", forHTTPHeaderField: "Accept-Encoding")
        } respond: { _, _ in
            Self.response("br", Self.content)
        }
        #expect(outcome.content == Self.content)
        #expect(outcome.requests.map { $0["Accept-Encoding"] } == ["br"])
        #expect(outcome.progress.last?.expected == Int64(Self.content.count))
    }

    // MARK: What does not decode

    enum Damage: CaseIterable, Sendable {
        case truncated, checkSum, trailing, other, notGzip

        var response: (coding: String, data: Data) {
            get throws {
                let coded = try GzipEncoder.encode(CodedContentTests.content)
                var wrong = coded
                wrong[wrong.count - 5] ^= 1
                return switch self {
                case .truncated: ("gzip", coded.dropLast(1000))
                case .checkSum: ("gzip", wrong)
                case .trailing: ("gzip", coded + Data("garbage".utf8))
                case .other: ("compress", coded)
                case .notGzip: ("gzip", CodedContentTests.content)
                }
            }
        }
    }

    @Test(
        "Damaged content is -1016, and commits nothing", arguments: Damage.allCases, PauseRun.Place.allCases)
    func damaged(damage: Damage, place: PauseRun.Place) async throws {
        let server = try TestServer()
        let directory = try TemporaryDirectory()
        let (coding, data) = try damage.response
        let bodies: [ScriptedResponse.Body] = [
            .data(Data(data)), .chunked([data.prefix(100), data.dropFirst(100)]), .untilClose(Data(data)),
        ]
        for body in bodies {
            server.respondToOthers { _ in Self.response(coding, Data()).with { $0.body = body } }
            let operation = HTTPRequestOperation.make(server.url())
            let stream = GatedStream(.opened)
            switch place {
            case .memory: break
            case .stream: operation.outputStream = stream
            case .file: operation.downloadDestination = DownloadDestination(fileURL: directory.file("content"))
            }
            await operation.run()
            #expect((operation.error as? URLError)?.code == .cannotDecodeContentData)
            #expect(operation.responseData == nil && operation.responseObject == nil)
            if damage == .other { #expect(operation.error?.localizedDescription.contains("\"compress\"") == true) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
            try await eventually { place != .stream || stream.streamStatus == .closed }
        }
    }

    @Test("The content of an error response is decoded, or is an error")
    func errorResponse() async throws {
        let server = try TestServer()
        let directory = try TemporaryDirectory()
        let page = try GzipEncoder.encode(Data("not here".utf8))
        server.respond(to: "/right", Self.response("gzip", page, status: 404))
        server.respond(to: "/wrong", Self.response("gzip", page.dropLast(), status: 404))
        for (path, code) in [("/right", -1011), ("/wrong", -1016)] {
            let operation = HTTPRequestOperation.make(server.url(path))
            operation.downloadDestination = DownloadDestination(fileURL: directory.file("content"))
            await operation.run()
            #expect(operation.errorCode == code)
            #expect(operation.responseString == (code == -1011 ? "not here" : nil))
        }
    }

    @Test("Coded content in place of a range is asked for once more", arguments: PauseRun.Place.allCases)
    func codedRange(place: PauseRun.Place) async throws {
        let coded = try GzipEncoder.encode(Self.content)
        let outcome = try await PauseRun(place: place, pauses: [5000]).run { request, index in
            if index == 0 { return .ranged(Self.content, etag: "\"a\"").ending(.stall, afterBodyBytes: 5000) }
            var response = Self.response("gzip", coded, status: request["Range"] == nil ? 200 : 206)
            if request["Range"] != nil {
                response.headers.append(("Content-Range", "bytes 5000-\(Self.content.count - 1)/\(Self.content.count)"))
            }
            return response
        }
        #expect(outcome.operation.error == nil && outcome.content == Self.content)
        #expect(outcome.ranges == [nil, "bytes=5000-", nil])
    }

    @Test("An error with coded content in place of a range is the result, decoded", arguments: PauseRun.Place.allCases)
    func codedRefusal(place: PauseRun.Place) async throws {
        let page = try GzipEncoder.encode(Data("busy".utf8))
        let outcome = try await PauseRun(place: place, pauses: [5000]).run { _, index in
            index == 0
                ? .ranged(Self.content, etag: "\"a\"").ending(.stall, afterBodyBytes: 5000)
                : Self.response("gzip", page, status: 503)
        }
        #expect(outcome.operation.response?.statusCode == 503 && outcome.operation.responseString == "busy")
        #expect(outcome.ranges == [nil, "bytes=5000-"])
    }

    @Test("After a pause the content may come in another coding", arguments: PauseRun.Place.allCases)
    func otherCoding(place: PauseRun.Place) async throws {
        let coded = Self.content.gzipped
        let total: Int64 = place == .memory ? 19_990 : 20_005
        let outcome = try await PauseRun(place: place, pauses: [1], totals: [total]).run { _, index in
            index == 0
                ? Self.response("gzip", coded).ending(.stall, afterBodyBytes: 20_005)
                : ScriptedResponse(body: .data(Self.content))
        }
        #expect(outcome.operation.error == nil && outcome.content == Self.content)
    }

    // MARK: A sink chosen late

    @Test(
        "A stream that is set after the request was sent gets the content, or a clear error",
        arguments: [1 << 20, 200 << 20])
    func lateStream(limit: Int) async throws {
        let server = try TestServer()
        let (size, coded) = (100 << 20, try Self.gzippedZeros(100 << 20))
        let gate = Gate()
        server.respondToOthers { _ in Self.response("gzip", coded).gated(gate) }
        let stream = SlowStream()
        let operation = HTTPRequestOperation.make(server.url())
        operation.maximumResponseBodySize = Int64(limit)
        operation.start()
        _ = try await server.nextRequest()
        operation.outputStream = stream
        gate.open()
        await operation.completed()
        if limit > size {
            #expect(operation.error == nil && stream.count == size && stream.isZero)
        } else {
            #expect((operation.error as? URLError)?.code == .dataLengthExceedsMaximum)
            let text = operation.error?.localizedDescription ?? ""
            #expect(text.contains("output stream") || text.contains("maximumResponseBodySize"))
        }
    }

    @Test("A stream that is taken back after the request was sent leaves the content decoded")
    func withdrawnStream() async throws {
        let server = try TestServer()
        let coded = try GzipEncoder.encode(Self.content)
        for data in [coded, coded.dropLast()] {
            let gate = Gate()
            server.respondToOthers { _ in Self.response("gzip", Data(data)).gated(gate) }
            let operation = HTTPRequestOperation.make(server.url())
            operation.outputStream = .toMemory()
            operation.start()
            _ = try await server.nextRequest()
            operation.outputStream = nil
            gate.open()
            await operation.completed()
            #expect(operation.responseData == (data.count == coded.count ? Self.content : nil))
            #expect(operation.errorCode == (data.count == coded.count ? nil : -1016))
        }
    }
}

extension ScriptedResponse {
    /// This response once the gate is open.
    fileprivate func gated(_ gate: Gate) -> ScriptedResponse {
        var response = self
        response.inserted[.beforeHead] = [.gate(gate)]
        return response
    }
}

/// A stream that takes about 100 MB in a second, and looks at the process's memory meanwhile.
private final class SlowStream: OutputStream {
    private struct State {
        var count = 0
        var isZero = true
        var status = Stream.Status.notOpen
        var largest = 0
        var untilRest = 1 << 20
    }
    private let state = Locked(State())

    convenience init() { self.init(toMemory: ()) }

    var count: Int { state.withLock { $0.count } }
    var isZero: Bool { state.withLock { $0.isZero } }
    var largestResidentSize: Int { state.withLock { $0.largest } }

    override func open() { state.withLock { $0.status = .open } }
    override func close() { state.withLock { $0.status = .closed } }
    override var streamStatus: Stream.Status { state.withLock { $0.status } }
    override var streamError: (any Error)? { nil }
    override var hasSpaceAvailable: Bool { true }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        let bytes = UnsafeRawBufferPointer(start: buffer, count: length)
        let isZero = bytes.count < 8 || bytes[0] == 0 && memcmp(buffer, buffer + 1, length - 1) == 0
        let rests = state.withLock { state in
            state.count += length
            state.isZero = state.isZero && isZero
            state.untilRest -= length
            guard state.untilRest <= 0 else { return false }
            state.untilRest += 1 << 20
            return true
        }
        if rests {
            let resident = ResidentMemory.bytes
            state.withLock { $0.largest = max($0.largest, resident) }
            usleep(10_000)
        }
        return length
    }
}
