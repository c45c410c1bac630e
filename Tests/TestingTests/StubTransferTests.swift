// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworkingTesting
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// How stubs send and receive: in pieces, held, cut off, to and from files and streams.
@Suite("Transfers by stubs", .timeLimit(.minutes(1)))
struct StubTransferTests {
    let stubs = HTTPStubs()
    private let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private func manager() -> HTTPRequestOperationManager {
        let manager = makeManager(stubs)
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    @Test("Content that drips arrives in pieces, and progress is told")
    func drip() async throws {
        stubs.on("GET", "/v1/x", respond: StubResponse(body: content).dripping(pieces: 1000, every: 0.000_1))
        let operation = manager().request("x")
        var sizes: [Int] = []
        for try await chunk in operation.chunks { sizes.append(chunk.count) }
        #expect(sizes.reduce(0, +) == content.count)
        #expect(sizes.count > 1)
    }

    @Test("A transfer that fails after some bytes fails the operation")
    func cut() async throws {
        stubs.on("GET", "/v1/x", respond: StubResponse(body: content).failing(after: 500))
        #expect((await manager().request("x").failure() as? URLError)?.code == .networkConnectionLost)
    }

    @Test("A request without an answer times out by the engine's rule")
    func idle() async throws {
        stubs.on("GET", "/v1/late", respond: StubResponse(delay: 3600))
        stubs.on("GET", "/v1/never") { _ in
            try await Task.sleep(for: .seconds(3600))
            return StubResponse()
        }
        for path in ["late", "never"] {
            var request = try makeRequest("https://api.example.org/v1/\(path)")
            request.timeoutInterval = 0.05
            let error = await manager().httpRequestOperation(with: request).failure() as? URLError
            #expect(error?.code == .timedOut)
        }
    }

    @Test("A download goes to its file, and goes on after a failure")
    func download() async throws {
        let folder = try TemporaryDirectory()
        stubs.on(
            "GET", "/v1/file",
            respond: .sequence([
                StubResponse(body: content).resumable().failing(after: 50_000), StubResponse(body: content).resumable(),
            ]))
        let manager = manager()
        manager.retryPolicy = RetryPolicy(backoff: .none)
        let operation = manager.request("file")
        operation.downloadDestination = DownloadDestination(fileURL: folder.file("x"))
        _ = try await operation.data()
        #expect(try Data(contentsOf: folder.file("x")) == content)
        #expect(stubs.requests.last?.value(forHTTPHeaderField: "Range") == "bytes=50000-")
    }

    @Test("A paused operation goes on where it was")
    func pause() async throws {
        let (arrived, continuation) = AsyncStream<Void>.makeStream()
        stubs.on(
            "GET", "/v1/x", respond: StubResponse(body: content).resumable().dripping(pieces: 2000, every: 0.000_5))
        let operation = manager().request("x")
        operation.setDownloadProgressBlock { _, _, _ in continuation.yield() }
        operation.start()
        for await _ in arrived { break }
        operation.pause()
        #expect(operation.isPaused)
        operation.resume()
        let received = try await operation.data().0
        #expect(received == content)
        let last = try #require(stubs.requests.last)
        #expect(stubs.requests.count == 2)
        #expect(last.value(forHTTPHeaderField: "Range") != nil)
    }

    @Test("A POST that is held in its place goes on")
    func hold() async throws {
        let gate = Latch()
        stubs.on("POST", "/v1/x") { _ in
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    gate.wait()
                    continuation.resume()
                }
            }
            return .text("done")
        }
        let operation = try manager().makeOperation(method: "POST", "x")
        operation.start()
        try await stubs.waitForRequests(1)
        operation.pause()
        gate.open()
        operation.resume()
        #expect(try await operation.data().0 == Data("done".utf8))
        #expect(stubs.requests.count == 1)
    }

    @Test("Content of a stream and of a file is recorded")
    func bodies() async throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write(content, to: "body")
        stubs.on("PUT", "/v1/**", respond: StubResponse(status: 204))
        let manager = manager()
        var request = try makeRequest("https://api.example.org/v1/stream", method: "PUT")
        request.httpBodyStream = InputStream(data: content)
        _ = try await manager.httpRequestOperation(with: request).data()
        request = try makeRequest("https://api.example.org/v1/file", method: "PUT")
        request.httpBodyStream = InputStream(url: file)
        _ = try await manager.httpRequestOperation(with: request).data()
        request = try makeRequest("https://api.example.org/v1/chunks", method: "PUT")
        request.setHTTPBody(
            AsyncStream { continuation in
                for start in stride(from: 0, to: content.count, by: 50_000) {
                    continuation.yield(content[start..<min(start + 50_000, content.count)])
                }
                continuation.finish()
            })
        _ = try await manager.httpRequestOperation(with: request).data()
        #expect(stubs.requests.map(\.body) == [content, content, content])
    }

    @Test("A file is an answer's content, and one that is not there is Foundation's error")
    func file() async throws {
        let folder = try TemporaryDirectory()
        stubs.on("GET", "/v1/here", respond: .file(try folder.write(content, to: "x")))
        stubs.on("GET", "/v1/gone", respond: .file(folder.file("y")))
        #expect(try await manager().request("here").data().0 == content)
        #expect(await manager().request("gone").failure() is CocoaError)
    }

    @Test("Cancelling ends a request that waits for its answer")
    func cancel() async throws {
        stubs.on("GET", "/v1/x", respond: StubResponse(delay: 3600))
        let operation = manager().request("x")
        async let failure = operation.failure()
        try await stubs.waitForRequests(1)
        operation.cancel()
        #expect((await failure as? URLError)?.code == .cancelled)
    }

    @Test("An answer that no server could send fails the request")
    func badAnswers() async throws {
        stubs.on("GET", "/v1/status", respond: StubResponse(status: 99))
        stubs.on("GET", "/v1/field", respond: StubResponse(headers: ["X": "a\r\nY: b"]))
        for path in ["status", "field"] {
            #expect(await manager().request(path).failure() is StubResponseError)
        }
    }

    @Test("Waiting for requests that do not come says which came")
    func waiting() async throws {
        stubs.on("GET", "/v1/x", respond: StubResponse())
        _ = try await manager().request("x").data()
        let error = await #expect(throws: RequestWaitError.self) { try await stubs.waitForRequests(2, timeout: 0.01) }
        #expect(error?.requests.map(\.description) == ["GET https://api.example.org/v1/x"])
    }

    @Test("Waiting for no time at all ends, too")
    func waitingForNoTime() async throws {
        let ends = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask { [stubs] in
                    for _ in 0..<300 {
                        let requests = try? await stubs.waitForRequests(1, timeout: 0)
                        if requests == nil { ends.withLock { $0 += 1 } }
                    }
                }
            }
        }
        #expect(ends.withLock { $0 } == 16 * 300)
    }
}
