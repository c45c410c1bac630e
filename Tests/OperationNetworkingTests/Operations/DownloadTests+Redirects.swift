// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// A validator says nothing across resources (RFC 9110, section 8.8.3).
extension DownloadTests {
    enum Validator: CaseIterable {
        case tag, date

        func response(_ content: Data) -> ScriptedResponse {
            self == .tag
                ? .ranged(content, etag: "\"same\"")
                : .ranged(content, lastModified: "Tue, 15 Nov 1994 12:45:26 GMT")
        }
    }

    /// Redirects `/file` to `/a` first, and to `target` from then on. Both are as long.
    private func redirect(to target: String, _ validator: Validator, first: Int = 1) {
        let index = Tally()
        server.respond(to: "/file") { _ in .redirect(to: index.increment() <= first ? "/a" : target) }
        let broken = Tally()
        server.respond(to: "/a") { request in
            guard request.target == "/a" else { return validator.response(Self.otherContent) }
            let response = validator.response(Self.content)
            return broken.increment() == 1 ? response.ending(.closeUnannounced, afterBodyBytes: 70_000) : response
        }
        server.respond(to: "/b", validator.response(Self.otherContent))
    }

    private static let otherContent = Data.random(200_000, seed: 17)

    @Test(
        "A download that is redirected elsewhere when it goes on begins anew; to the same place, it does not",
        arguments: ["/b", "/a?x=2", "/a"], Validator.allCases)
    func redirectedElsewhere(place: String, validator: Validator) async throws {
        redirect(to: place, validator)
        let broken = await download()
        #expect((broken.error as? URLError)?.code == .networkConnectionLost)
        let size = try #require(bytes("target.bin.part")).count
        let operation = await download()
        #expect(operation.error == nil && names == ["target.bin"])
        #expect(bytes("target.bin") == (place == "/a" ? Self.content : Self.otherContent))
        let ranges = server.requests.dropFirst(2).filter { $0.path != "/file" }.map { $0["Range"] }
        #expect(ranges == (place == "/a" ? ["bytes=\(size)-"] : ["bytes=\(size)-", nil]))
    }

    @Test("Another attempt that is redirected elsewhere begins anew", arguments: Validator.allCases, [true, false])
    func retriedElsewhere(validator: Validator, isDownload: Bool) async throws {
        redirect(to: "/b", validator)
        let operation = await download(run: false)
        if !isDownload { operation.downloadDestination = nil }
        operation.retryPolicy = RetryPolicy(maximumAttempts: 2, backoff: .none)
        await operation.run()
        #expect(operation.error == nil)
        #expect((isDownload ? bytes("target.bin") : operation.responseData) == Self.otherContent)
    }

    @Test("Nor is a part taken for the whole because another resource has no more bytes")
    func wholeElsewhere() async throws {
        redirect(to: "/b", .tag)
        _ = await download()
        let size = try #require(bytes("target.bin.part")).count
        let other = Self.otherContent.prefix(size)
        server.respond(to: "/b", .ranged(other, etag: "\"same\""))
        let operation = await download()
        #expect(operation.error == nil && bytes("target.bin") == other)
        #expect(server.requests.last?["Range"] == nil)
    }

    @Test("A part in memory is not continued from elsewhere, nor after it was archived", arguments: [true, false])
    func pausedElsewhere(isArchived: Bool) async throws {
        redirect(to: "/b", .tag)
        server.respond(to: "/a", Validator.tag.response(Self.content).ending(.stall, afterBodyBytes: 70_000))
        var operation = HTTPRequestOperation.make(server.url("/file"))
        let received = Recorder<Int64>()
        operation.setDownloadProgressBlock { _, total, _ in received.append(total) }
        operation.start()
        try await eventually { received.last == 70_000 }
        operation.pause()
        if isArchived {
            operation = try HTTPRequestOperation(archivedData: operation.archivedData())
            operation.completionQueue = DispatchQueue(label: "test")
        }
        operation.resume()
        await operation.completed()
        #expect(operation.error == nil && operation.responseData == Self.otherContent)
        #expect(server.requests.contains { $0.path == "/b" && $0["Range"] == "bytes=70000-" })
    }

    @Test("A note of an earlier version is taken for that of a file without redirects", arguments: [true, false])
    func earlierNote(isRedirected: Bool) async throws {
        let path = directory.file("target.bin.part.json").path
        try leavePartial(Self.content.prefix(100_000), validator: "\"same\"", total: 200_000)
        var note = try #require(PartialNote(at: path))
        note.source = nil
        #expect(note.write(to: path) == 0)
        server.respond(to: "/b", Validator.tag.response(Self.otherContent))
        server.respond(to: "/file", isRedirected ? .redirect(to: "/b") : Validator.tag.response(Self.content))
        #expect(await download().error == nil)
        #expect(bytes("target.bin") == (isRedirected ? Self.otherContent : Self.content))
        #expect(server.requests.first?["Range"] == "bytes=100000-")
        #expect(server.requests.count == (isRedirected ? 3 : 1))
    }
}
