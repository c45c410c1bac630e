// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// What an error response does not touch.
extension DownloadTests {
    @Test("An error leaves a part alone that is not continued: another URL's, or by wish", arguments: [true, false])
    func errorBesidePart(isOtherURL: Bool) async throws {
        server.respond(to: "/file", ScriptedResponse(status: isOtherURL ? 404 : 503, body: .text("none")))
        try leavePartial(
            Self.content.prefix(1000), validator: "\"a\"", total: 200_000, path: isOtherURL ? "/other" : "/file")
        let note = bytes("target.bin.part.json")
        let operation = await download(DownloadDestination(fileURL: target, continuesPartialFile: isOtherURL))
        #expect(operation.response?.statusCode == (isOtherURL ? 404 : 503) && operation.responseString == "none")
        #expect(operation.error is ResponseSerializationError)
        #expect(server.requests.map { $0["Range"] } == [nil])
        #expect(names == ["target.bin.part", "target.bin.part.json"])
        #expect(bytes("target.bin.part") == Self.content.prefix(1000) && bytes("target.bin.part.json") == note)
    }

    @Test("An error is told as such where the file could not have been opened", arguments: [true, false])
    func errorBeforeOpening(isLocked: Bool) async throws {
        let gate = Gate()
        server.respond(to: "/file", ScriptedResponse(status: 404, body: .text("gone")).holding(gate, at: .beforeBody))
        let lock = open(target.path + ".part", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(lock) }
        if isLocked {
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        } else {
            try directory.write("old", to: "target.bin")
        }
        let operation = await download(
            DownloadDestination(fileURL: target, existingFile: isLocked ? .replace : .refuse), run: false)
        operation.start()
        try await eventually { operation.response != nil }
        await Self.filesAreWritten()
        gate.open()
        await operation.completed()
        #expect(operation.error is ResponseSerializationError, "\(String(describing: operation.error))")
        #expect(operation.responseString == "gone")
        #expect(names == (isLocked ? ["target.bin.part"] : ["target.bin", "target.bin.part"]))
    }

    @Test("A part that an error left alone is there until the attempt after it succeeds")
    func successAfterError() async throws {
        let path = directory.file("target.bin.part").path
        let parts = Recorder<Data?>()
        server.respond(to: "/file") { _ in
            parts.append(FileManager.default.contents(atPath: path))
            return parts.count == 1 ? .status(503) : .ranged(Self.content, etag: "\"a\"")
        }
        let part = Data.random(1000, seed: 4)
        try leavePartial(part, validator: "\"a\"", total: 200_000, path: "/other")
        let operation = await download(run: false)
        operation.retryPolicy = RetryPolicy(maximumAttempts: 2, backoff: .none)
        await operation.run()
        #expect(parts.values == [part, part])
        #expect(operation.error == nil && bytes("target.bin") == Self.content && names == ["target.bin"])
    }

    /// Returns when the queues for files have done what they were given until now.
    private static func filesAreWritten() async {
        // They take turns, with other tests' downloads.
        for _ in 0..<64 {
            await withCheckedContinuation { continuation in
                BufferedSink.nextFileQueue.async { continuation.resume() }
            }
        }
    }
}
