// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

// Which responses are content for a reader, and which are errors.

extension ResponseStreamTests {
    @Test(
        "A response that the serializer does not accept gives no content, and its error has the beginning of it",
        arguments: [false, true])
    func refused(isCustom: Bool) async throws {
        let server = try TestServer()
        server.respond(to: "/small", .json("{\"why\": 1}", status: 503))
        server.respond(to: "/endless", ScriptedResponse(status: 500, body: .pattern(count: 1 << 40)))
        for path in ["/small", "/endless"] {
            let operation = HTTPRequestOperation.make(server.url(path))
            if isCustom { operation.responseSerializer = JSONResponseSerializer() }
            let (chunks, error) = await operation.chunks.collected()
            #expect(chunks.isEmpty)
            let refusal = try #require(error as? ResponseSerializationError)
            #expect(refusal.code == .badServerResponse)
            if path == "/small" {
                #expect(refusal.data == Data("{\"why\": 1}".utf8))
                #expect(operation.responseData == refusal.data)
            } else {
                #expect(refusal.data?.count == ResponseStream.refusedLimit)
            }
        }
    }

    @Test(
        "What a serializer accepts otherwise is content, whatever type it is of, also where a policy might retry",
        arguments: [false, true])
    func accepted(hasPolicy: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("a\nb").with { $0.status = 404 } }
        let operation = HTTPRequestOperation.make(server.url())
        let serializer = JSONResponseSerializer()
        serializer.acceptableStatusCodes = [404]
        operation.responseSerializer = serializer
        if hasPolicy { operation.retryPolicy = RetryPolicy() }
        #expect(await operation.lines.collected().elements == ["a", "b"])
        #expect(operation.error == nil)
    }

    @Test("An error response that is accepted is no rest of what was read before a pause: the loop throws")
    func acceptedAfterResume() async throws {
        let server = try TestServer()
        let content = Data.random(100_000)
        let count = Tally()
        server.respondToOthers { _ in
            count.increment() == 1
                ? .ranged(content, etag: "\"a\"").ending(.stall, afterBodyBytes: 50_000)
                : ScriptedResponse(status: 500, body: .text("busy"))
        }
        let operation = HTTPRequestOperation.make(server.url())
        let serializer = HTTPResponseSerializer()
        serializer.acceptableStatusCodes = nil
        operation.responseSerializer = serializer
        var received = Data()
        do {
            for try await chunk in operation.chunks {
                received += chunk
                if received.count == 50_000 {
                    operation.pause()
                    operation.resume()
                }
            }
            Issue.record("half of the content came to a good end")
        } catch {
            #expect((error as? URLError)?.code == .networkConnectionLost, "\(error)")
        }
        #expect(received == content.prefix(50_000) && server.requests.count == 2)
    }

    @Test(
        "Content that turns out to be whole when the operation goes on is judged, and read",
        arguments: [HTTPResponseSerializer(), JSONResponseSerializer()])
    func wholeAfterPause(serializer: HTTPResponseSerializer) async throws {
        let server = try TestServer()
        let count = Tally()
        server.respondToOthers { _ in
            guard count.increment() == 1 else {
                return ScriptedResponse(status: 416, headers: [("Content-Range", "bytes */5")])
            }
            // Complete but for the last chunk, so that the client cannot know.
            return ScriptedResponse(
                headers: [("ETag", "\"one\""), ("Content-Type", "application/json")],
                body: .chunked([Data("[1,2]".utf8)])
            ).ending(.stall, afterBodyBytes: 5)
        }
        let operation = HTTPRequestOperation.make(server.url())
        operation.responseSerializer = serializer
        let progress = Recorder<Int64>()
        operation.setDownloadProgressBlock { _, total, _ in progress.append(total) }
        operation.start()
        try await eventually { progress.last == 5 }
        operation.pause()
        // Nobody wanted a stream before.
        let chunks = operation.chunks
        operation.resume()
        var received = Data()
        for try await chunk in chunks { received += chunk }
        #expect(received == Data("[1,2]".utf8) && operation.error == nil)
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=5-"])
    }
}
