// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("maximumResponseBodySize", .timeLimit(.minutes(2))) struct ContentLimitTests {
    enum Place: CaseIterable, Sendable { case memory, stream, file }

    let server: TestServer
    let directory: TemporaryDirectory

    init() throws {
        server = try TestServer()
        directory = try TemporaryDirectory()
    }

    private func operation(_ place: Place, limit: Int64?, path: String = "/big") -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(server.url(path), timeout: 10)
        operation.maximumResponseBodySize = limit
        switch place {
        case .memory: break
        case .stream: operation.outputStream = OutputStream(toMemory: ())
        case .file: operation.downloadDestination = DownloadDestination(fileURL: directory.file("target"))
        }
        return operation
    }

    @Test(
        "One byte too many is an error, in memory, in a stream and in a file", arguments: Place.allCases, [true, false])
    func limit(place: Place, isCoded: Bool) async throws {
        let content = ScriptedResponse.longPattern(count: 300_000)
        let response = ScriptedResponse(
            headers: isCoded ? [("Content-Encoding", "gzip")] : [], body: .data(isCoded ? try content.zipped : content))
        server.respond(to: "/big", response)
        for limit in [0, 1, 299_999] as [Int64] {
            let error = try #require(await operation(place, limit: limit).outcome().urlError)
            #expect(error.errorCode == -1103 && error.localizedDescription.contains("maximumResponseBodySize"))
            #expect(error.localizedDescription.contains("\(limit) bytes"))
        }
        #expect(!FileManager.default.fileExists(atPath: directory.file("target").path))
        for limit in [300_000, Int64.max, nil] as [Int64?] {
            let operation = operation(place, limit: limit)
            let outcome = await operation.outcome()
            #expect(outcome.error == nil, "\(outcome.error as Any)")
            switch place {
            case .memory: #expect(outcome.data == content)
            case .stream:
                #expect(operation.outputStream?.property(forKey: .dataWrittenToMemoryStreamKey) as? Data == content)
            case .file: #expect(FileManager.default.contents(atPath: directory.file("target").path) == content)
            }
        }
    }

    @Test("What was received before a pause counts", arguments: Place.allCases)
    func paused(place: Place) async throws {
        let content = ScriptedResponse.longPattern(count: 300_000)
        server.respond(to: "/big") { request in
            let whole = ScriptedResponse.ranged(content, etag: "\"a\"")
            return request["Range"] == nil ? whole.ending(.stall, afterBodyBytes: 200_000) : whole
        }
        for (limit, code) in [(299_999, -1103), (300_000, nil)] as [(Int64, Int?)] {
            let operation = operation(place, limit: limit)
            let received = Journal<Int64>()
            operation.completionQueue = DispatchQueue(label: "test")
            operation.setDownloadProgressBlock { _, total, _ in received.append(total) }
            operation.start()
            try await eventually("200 000 bytes") { received.all.last == 200_000 }
            operation.pause()
            #expect(await operation.outcome { $0.resume() }.code == code)
            try? FileManager.default.removeItem(at: directory.file("target.part"))
        }
    }

    @Test("In memory 256 MiB are taken unless something else is said, and compressed zeros beyond are not")
    func standard() async throws {
        #expect(HTTPRequestOperation(server.url("/")).maximumResponseBodySize == nil)
        server.respond(to: "/big", ScriptedResponse(body: .pattern(count: (256 << 20) + 1)))
        let error = await operation(.memory, limit: nil).outcome().urlError
        #expect(error?.errorCode == -1103 && error?.localizedDescription.contains("268435456") == true)
    }

    @Test("A manager's limits are its operations'")
    func manager() async throws {
        server.respond(to: "/big", ScriptedResponse(body: .pattern(count: 1001)))
        let manager = HTTPRequestOperationManager.offMain(server.url("/"))
        manager.responseSerializer = HTTPResponseSerializer()
        #expect(manager.maximumResponseBodySize == nil && manager.totalTimeout == nil)
        #expect(!manager.resendsNonIdempotentRequests)
        manager.maximumResponseBodySize = 1000
        manager.totalTimeout = 5
        manager.resendsNonIdempotentRequests = true
        #expect(await manager.getting("big").code == -1103)
        final class Own: HTTPRequestOperation, @unchecked Sendable {}
        let own = Own(server.url("/big"))
        own.userInfo = ["told": "something"]
        let plain = HTTPRequestOperation(server.url("/big"))
        for operation in [own, plain] {
            manager.configure(operation)
            #expect(operation.maximumResponseBodySize == 1000 && operation.totalTimeout == 5)
            #expect(operation.resendsNonIdempotentRequests)
        }
        let copy = try #require(manager.copy() as? HTTPRequestOperationManager)
        #expect(copy.maximumResponseBodySize == 1000 && copy.totalTimeout == 5 && copy.resendsNonIdempotentRequests)
        manager.maximumResponseBodySize = -5
        #expect(manager.maximumResponseBodySize == 0)
    }
}

extension Data {
    /// What gzip makes of the bytes.
    var zipped: Data {
        get throws {
            let process = Process()
            let (input, output) = (Pipe(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/bin/gzip")
            process.arguments = ["-c"]
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
            let data = self
            Thread.detachNewThread {
                try? input.fileHandleForWriting.write(contentsOf: data)
                try? input.fileHandleForWriting.close()
            }
            return try output.fileHandleForReading.readToEnd() ?? Data()
        }
    }
}
