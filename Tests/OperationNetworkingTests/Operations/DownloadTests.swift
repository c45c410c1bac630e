// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(1))) struct DownloadTests {
    static let content = Data.random(200_000)

    let server: TestServer
    let directory: TemporaryDirectory

    init() throws {
        server = try TestServer()
        directory = try TemporaryDirectory()
    }

    func download(
        _ destination: DownloadDestination? = nil, path: String = "/file", run: Bool = true
    ) async -> HTTPRequestOperation {
        let operation = HTTPRequestOperation.make(server.url(path))
        operation.downloadDestination = destination ?? DownloadDestination(fileURL: target)
        if run { await operation.run() }
        return operation
    }

    private static func digest(_ data: Data) throws -> Data {
        var hasher = SHA256Hasher()
        data.withUnsafeBytes { hasher.update($0) }
        return try hasher.finish()
    }

    var target: URL { directory.file("target.bin") }
    func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: directory.file(name).path) }
    var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()) ?? []
    }

    func leavePartial(_ data: Data, validator: String, total: Int?, path: String = "/file") throws {
        try directory.leavePartial(data, of: target, from: server.url(path), validator: validator, total: total)
    }

    @Test("The content is under the target's name, and nothing beside it; responseData is nil")
    func plain() async throws {
        server.respond(to: "/file", .ranged(Self.content, etag: "\"a\""))
        let operation = await download()
        #expect(operation.error == nil && operation.responseData == nil)
        #expect(bytes("target.bin") == Self.content)
        #expect(names == ["target.bin"])
        let empty = await download(DownloadDestination(fileURL: directory.file("empty")), path: "/empty")
        #expect(empty.response?.statusCode == 404)
        server.respond(to: "/empty", .ok(""))
        #expect(await download(DownloadDestination(fileURL: directory.file("empty")), path: "/empty").error == nil)
        #expect(bytes("empty") == Data())
    }

    @Test("Nothing is under the target's name before the end")
    func atomic() async throws {
        let gate = Gate()
        server.respond(
            to: "/file",
            .ranged(Self.content, etag: "\"a\"").with { $0.pieceSize = 150_000 }.inserting(
                [.gate(gate)], at: .betweenPieces))
        let operation = await download(run: false)
        operation.start()
        try await eventually { bytes("target.bin.part")?.count == 150_000 }
        #expect(names == ["target.bin.part", "target.bin.part.json"])
        gate.open()
        await operation.completed()
        #expect(bytes("target.bin") == Self.content && names == ["target.bin"])
    }

    @Test("A part that nobody asked for is no download")
    func unaskedPart() async throws {
        server.respond(
            to: "/file",
            ScriptedResponse(status: 206, headers: [("Content-Range", "bytes 5-9/100")], body: .text("parts")))
        let operation = await download()
        #expect((operation.error as? URLError)?.code == .cannotParseResponse)
        #expect(names.isEmpty)
    }

    @Test("What is no file is not replaced", arguments: [false, true])
    func special(appearsLate: Bool) async throws {
        let gate = Gate()
        server.respond(to: "/file", .ranged(Self.content, etag: "\"a\"").holding(gate, at: .beforeBody))
        if !appearsLate { #expect(mkfifo(target.path, 0o600) == 0) }
        let operation = await download(run: false)
        operation.start()
        if appearsLate {
            try await eventually { operation.response != nil }
            #expect(mkfifo(target.path, 0o600) == 0)
        }
        gate.open()
        await operation.completed()
        #expect((operation.error as? URLError)?.code == .cannotCreateFile)
        var status = stat()
        #expect(lstat(target.path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test(
        "An existing target is replaced, or refused and left alone, before or after the transfer",
        arguments: [false, true])
    func existing(appearsLate: Bool) async throws {
        for rule in [DownloadDestination.ExistingFile.refuse, .replace] {
            let gate = Gate()
            server.respond(to: "/file", .ranged(Self.content, etag: "\"a\"").holding(gate, at: .beforeBody))
            for name in names { try FileManager.default.removeItem(at: directory.file(name)) }
            if !appearsLate { try directory.write("old", to: "target.bin") }
            let operation = await download(DownloadDestination(fileURL: target, existingFile: rule), run: false)
            operation.start()
            if appearsLate {
                try await eventually { operation.response != nil }
                try directory.write("old", to: "target.bin")
                gate.open()
            }
            if rule == .replace { gate.open() }
            await operation.completed()
            if rule == .refuse {
                #expect((operation.error as? URLError)?.code == .cannotCreateFile)
                #expect(underlying(operation)?.code == Int(EEXIST))
                #expect(bytes("target.bin") == Data("old".utf8))
            } else {
                #expect(operation.error == nil && bytes("target.bin") == Self.content && names == ["target.bin"])
            }
        }
    }

    private func underlying(_ operation: HTTPRequestOperation) -> NSError? {
        operation.underlyingError
    }

    @Test("The digest is checked before the target appears", arguments: [true, false])
    func digest(isRight: Bool) async throws {
        server.respond(to: "/file", .ranged(Self.content, etag: "\"a\""))
        let digest = try Self.digest(isRight ? Self.content : Self.content + [0])
        let operation = await download(DownloadDestination(fileURL: target, sha256: digest))
        #expect((operation.error == nil) == isRight)
        #expect(names == (isRight ? ["target.bin"] : []))
        if !isRight {
            #expect((operation.error as? URLError)?.code == .cannotDecodeRawData)
            #expect(operation.error?.localizedDescription.contains("could not be written") == false)
            let text = underlying(operation)?.localizedDescription ?? ""
            #expect(text.contains("SHA-256") && text.contains(digest.map { String(format: "%02x", $0) }.joined()))
        }
    }

    @Test("A directory that is missing, or is a file, is reported with its path")
    func unwritable() async throws {
        server.respond(to: "/file", .ranged(Self.content, etag: "\"a\""))
        try directory.write("x", to: "file")
        for (path, code) in [("missing/target", ENOENT), ("file/target", ENOTDIR)] {
            let operation = await download(DownloadDestination(fileURL: directory.file(path)))
            #expect((operation.error as? URLError)?.code == .cannotWriteToFile)
            #expect(underlying(operation)?.code == Int(code))
            #expect(underlying(operation)?.localizedDescription.contains(path) == true)
        }
        #expect(names == ["file"])
    }

    @Test("A target that is a directory is reported, and left alone")
    func directoryAsTarget() async throws {
        server.respond(to: "/file", .ranged(Self.content, etag: "\"a\""))
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        let operation = await download()
        #expect((operation.error as? URLError)?.code == .cannotWriteToFile)
        var isDirectory: ObjCBool = false
        #expect(FileManager.default.fileExists(atPath: target.path, isDirectory: &isDirectory) && isDirectory.boolValue)
    }

    @Test(
        "A full disk ends the operation with the system's error; nothing is under the target's name",
        .enabled("mounting a small file system takes privileges", { geteuid() == 0 }))
    func diskFull() async throws {
        let mountPoint = directory.file("mount")
        try FileManager.default.createDirectory(at: mountPoint, withIntermediateDirectories: false)
        guard mount("tmpfs", mountPoint.path, "tmpfs", 0, "size=128k") == 0 else {
            // A container may forbid it even to root.
            withKnownIssue("no small file system could be mounted: \(String(cString: strerror(errno)))") {
                Issue.record("not run")
            }
            return
        }
        defer { umount2(mountPoint.path, Int32(2)) }
        server.respond(to: "/file", .ranged(Self.content, etag: "\"a\""))
        let operation = await download(DownloadDestination(fileURL: mountPoint.appendingPathComponent("target")))
        #expect((operation.error as? URLError)?.code == .cannotWriteToFile)
        #expect(underlying(operation)?.code == Int(ENOSPC))
        let rest = try FileManager.default.contentsOfDirectory(atPath: mountPoint.path)
        #expect(!rest.contains("target"))
    }

    @Test("A connection that ends too early leaves the part; the next operation asks for the rest only")
    func brokenOff() async throws {
        let index = Tally()
        server.respond(to: "/file") { _ in
            let response = ScriptedResponse.ranged(Self.content, etag: "\"a\"")
            return index.increment() == 1 ? response.ending(.closeUnannounced, afterBodyBytes: 70_000) : response
        }
        let broken = await download()
        #expect((broken.error as? URLError)?.code == .networkConnectionLost)
        #expect(names == ["target.bin.part", "target.bin.part.json"])
        let size = try #require(bytes("target.bin.part")).count
        #expect(size > 0 && size <= 70_000)
        let progress = Recorder<[Int64]>()
        let operation = await download(run: false)
        operation.setDownloadProgressBlock { progress.append([$1, $2]) }
        await operation.run()
        #expect(operation.error == nil && bytes("target.bin") == Self.content && names == ["target.bin"])
        #expect(server.requests.last?["Range"] == "bytes=\(size)-" && server.requests.last?["If-Range"] == "\"a\"")
        #expect(progress.last == [200_000, 200_000])
        #expect(progress.values.allSatisfy { $0[0] > size && $0[0] <= $0[1] })
    }

    @Test("A cancelled download leaves its part too")
    func cancelled() async throws {
        let index = Tally()
        server.respond(to: "/file") { _ in
            let response = ScriptedResponse.ranged(Self.content, etag: "\"a\"")
            return index.increment() == 1 ? response.ending(.stall, afterBodyBytes: 50_000) : response
        }
        let operation = await download(run: false)
        operation.start()
        try await eventually { bytes("target.bin.part")?.count == 50_000 }
        operation.cancel()
        await operation.completed()
        #expect(operation.isCancelledError && names == ["target.bin.part", "target.bin.part.json"])
        let next = await download()
        #expect(next.error == nil && bytes("target.bin") == Self.content)
        #expect(server.requests.last?["Range"] == "bytes=50000-")
    }

    @Test(
        "What is on disk is continued if its validator still holds, and replaced if not",
        arguments: ["\"same\"", "\"other\""])
    func fromDisk(tag: String) async throws {
        server.respond(to: "/file", .ranged(Self.content, etag: "\"same\""))
        let there = tag == "\"same\"" ? Self.content.prefix(120_000) : Data.random(120_000, seed: 99)
        try leavePartial(there, validator: tag, total: 200_000)
        let operation = await download()
        #expect(operation.error == nil && bytes("target.bin") == Self.content && names == ["target.bin"])
        #expect(server.requests.map { $0["Range"] } == ["bytes=120000-"])
        #expect(operation.response?.statusCode == (tag == "\"same\"" ? 206 : 200))
    }

    @Test(
        "What is on disk is not continued when told so, when the note is damaged, or too long for its total",
        arguments: ["told", "damaged", "missing", "long", "empty"])
    func notContinued(why: String) async throws {
        server.respond(to: "/file", .ranged(Self.content, etag: "\"a\""))
        try leavePartial(
            why == "empty" ? Data() : Data.random(1000, seed: 4), validator: "\"a\"",
            total: why == "long" ? 999 : 200_000)
        if why == "damaged" { try directory.write("{\"validator\": ", to: "target.bin.part.json") }
        if why == "missing" { try FileManager.default.removeItem(at: directory.file("target.bin.part.json")) }
        let operation = await download(DownloadDestination(fileURL: target, continuesPartialFile: why != "told"))
        #expect(operation.error == nil && bytes("target.bin") == Self.content && names == ["target.bin"])
        #expect(server.requests.map { $0["Range"] } == [nil])
    }

    @Test("All of it on disk already: 416 with that length is success")
    func completeOnDisk() async throws {
        server.respond(to: "/file", .ranged(Self.content, etag: "\"a\""))
        try leavePartial(Self.content, validator: "\"a\"", total: 200_000)
        let operation = await download()
        #expect(operation.error == nil && bytes("target.bin") == Self.content && names == ["target.bin"])
        #expect(server.requests.map { $0["Range"] } == ["bytes=200000-"])
        // The refusal's own head is nobody's; the tag that it has in common with the content is told.
        #expect(operation.response?.statusCode == 206)
        #expect(operation.response?.value(forHTTPHeaderField: "ETag") == "\"a\"")
        #expect(operation.response?.value(forHTTPHeaderField: "Content-Range") == nil)
    }

    @Test("416 with that length, of another version: it comes anew")
    func otherVersionComplete() async throws {
        server.respond(to: "/file") { request in
            guard request["Range"] != nil else { return .ranged(Self.content, etag: "\"b\"") }
            return ScriptedResponse(status: 416, headers: [("Content-Range", "bytes */200000"), ("ETag", "\"b\"")])
        }
        try leavePartial(Data(count: 200_000), validator: "\"a\"", total: 200_000)
        let operation = await download()
        #expect(operation.error == nil && bytes("target.bin") == Self.content && names == ["target.bin"])
        #expect(server.requests.map { $0["Range"] } == ["bytes=200000-", nil])
    }

    @Test("A bad status leaves part and target alone; its content is the responseData")
    func badStatus() async throws {
        server.respond(to: "/file", ScriptedResponse(status: 404, body: .text("gone")))
        try directory.write("old", to: "target.bin")
        try leavePartial(Self.content.prefix(1000), validator: "\"a\"", total: 200_000)
        let operation = await download()
        #expect(operation.response?.statusCode == 404 && operation.responseString == "gone")
        #expect(operation.error is ResponseSerializationError)
        #expect(names == ["target.bin", "target.bin.part", "target.bin.part.json"])
        #expect(bytes("target.bin") == Data("old".utf8) && bytes("target.bin.part") == Self.content.prefix(1000))
    }

    @Test("A bad status without anything there leaves nothing")
    func badStatusClean() async throws {
        server.respond(to: "/file", .status(500))
        let operation = await download()
        #expect(operation.error is ResponseSerializationError)
        #expect(names.isEmpty)
    }

    @Test("A redirect is followed; its own content goes nowhere")
    func redirect() async throws {
        server.respond(
            to: "/file", ScriptedResponse(status: 302, headers: [("Location", "/real")], body: .text("moved")))
        server.respond(to: "/real", .ranged(Self.content, etag: "\"a\""))
        let operation = await download()
        #expect(operation.error == nil && bytes("target.bin") == Self.content)
    }

    @Test("Content shorter than announced is no success, framed by the connection's end")
    func short() async throws {
        server.respond(to: "/file", ScriptedResponse(body: .data(Self.content)).ending(.close, afterBodyBytes: 100))
        let operation = await download()
        #expect((operation.error as? URLError)?.code == .networkConnectionLost)
        #expect(!names.contains("target.bin"))
    }

    @Test("Two downloads to one target at once: one of them says so and the other's content is whole")
    func twoAtOnce() async throws {
        for round in 0..<20 {
            let content = Data.random(100_000, seed: UInt64(round))
            server.respond(to: "/file", .ranged(content, etag: "\"\(round)\"").with { $0.pieceSize = 20_000 })
            let operations = [await download(run: false), await download(run: false)]
            for operation in operations { operation.start() }
            for operation in operations { await operation.completed() }
            let good = operations.filter { $0.error == nil }
            #expect(!good.isEmpty)
            for operation in operations where operation.error != nil {
                let reason = underlying(operation)?.localizedDescription ?? ""
                #expect(reason.contains("another download"), "\(reason)")
            }
            #expect(bytes("target.bin") == content)
        }
        #expect(names == ["target.bin"])
    }

    @Test("A part of another URL is not continued, although both have the same validator and length")
    func otherResource() async throws {
        server.respond(to: "/file", .ranged(Self.content, etag: "\"a\""))
        try leavePartial(Data.random(1000, seed: 7), validator: "\"a\"", total: 200_000, path: "/other")
        let operation = await download()
        #expect(operation.error == nil && bytes("target.bin") == Self.content && names == ["target.bin"])
        #expect(server.requests.map { $0["Range"] } == [nil])

        try FileManager.default.removeItem(at: target)
        try leavePartial(Self.content.prefix(1000), validator: "\"a\"", total: 200_000)
        let sameOne = await download(path: "/file#part")
        #expect(sameOne.error == nil && bytes("target.bin") == Self.content)
        #expect(server.requests.last?["Range"] == "bytes=1000-")
    }

    @Test("A partial file that another download moved away or shortened between look and lock is not continued")
    func partialReplaced() async throws {
        let destination = DownloadDestination(fileURL: target)
        try leavePartial(Self.content.prefix(1000), validator: "\"a\"", total: 200_000)
        let partial = PartialFile(destination, of: server.url("/file"))
        #expect(partial.representation?.offset == 1000)
        try FileManager.default.removeItem(at: directory.file("target.bin.part"))
        let writer = DownloadWriter(destination, partial: partial)
        #expect(throws: (any Error).self) { try writer.open() }
    }

    @Test("Paused while the file is being verified and moved: the operation ends all the same")
    func pausedAtTheEnd() async throws {
        server.respond(to: "/file", ScriptedResponse(body: .pattern(count: 8_000_000)))
        let content = ScriptedResponse.pattern(count: 8_000_000)
        let digest = try Self.digest(content)
        for _ in 0..<10 {
            let operation = await download(DownloadDestination(fileURL: target, sha256: digest), run: false)
            let endings = Endings(operation)
            operation.setDownloadProgressBlock { [weak operation] _, total, expected in
                guard total == expected else { return }
                operation?.pause()
                operation?.resume()
            }
            operation.start()
            await operation.completed()
            #expect(operation.error == nil, "\(String(describing: operation.error))")
            #expect(bytes("target.bin") == content && names == ["target.bin"])
            await endings.reached()
            #expect(endings.finishes.value == 1 && endings.completions.value == 1)
        }
    }

    @Test("Cancelled while the file is being written out: no truncated file under the target's name")
    func cancelledAtTheEnd() async throws {
        // Without a length there is nothing to check the file against.
        let chunks = (0..<40).map { Data.random(100_000, seed: UInt64($0)) }
        server.respond(to: "/file", ScriptedResponse(body: .chunked(chunks)))
        let whole = chunks.reduce(Data(), +)
        for round in 0..<30 {
            let operation = await download(run: false)
            operation.setDownloadProgressBlock { [weak operation] _, total, _ in
                if total >= 3_900_000 + round * 3000 { operation?.cancel() }
            }
            operation.start()
            await operation.completed()
            let isWhole = bytes("target.bin").map { $0 == whole } ?? true
            #expect(isWhole, "round \(round)")
            try? FileManager.default.removeItem(at: target)
        }
    }

    @Test("Two sinks of one operation: the download's target wins over an output stream")
    func precedence() async throws {
        server.respond(to: "/file", .ok("x"))
        let operation = await download(run: false)
        let stream = OutputStream.toMemory()
        operation.outputStream = stream
        await operation.run()
        #expect(bytes("target.bin") == Data("x".utf8) && stream.streamStatus == .notOpen)
    }

    @Test(
        "A target's name may be as long as the system allows: it is written, and gone on with",
        arguments: [240, 245, 246, 250, 251, 255], ["x", "\u{1F600}"])
    func longNames(length: Int, letter: String) async throws {
        let index = Tally()
        server.respond(to: "/file") { _ in
            let response = ScriptedResponse.ranged(Self.content, etag: "\"a\"")
            return index.increment() == 1 ? response.ending(.closeUnannounced, afterBodyBytes: 70_000) : response
        }
        let name =
            String(repeating: "y", count: length % 4) + String(repeating: letter, count: length / letter.utf8.count)
        let destination = DownloadDestination(
            fileURL: directory.file(name.utf8.count == length ? name : String(repeating: letter, count: length)))
        let first = await download(destination)
        #expect((first.error as? URLError)?.code == .networkConnectionLost)
        #expect(names.count == 2 && names.allSatisfy { $0.utf8.count <= 255 })
        let operation = await download(destination)
        #expect(operation.error == nil && names.count == 1)
        #expect(server.requests.last?["If-Range"] == "\"a\"")
        #expect(FileManager.default.contents(atPath: destination.fileURL.path) == Self.content)
    }
}
