// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Bodies from asynchronous sequences", .timeLimit(.minutes(1))) struct AsyncBodyTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .ok("received") }
    }

    private func operation(
        _ body: HandedOut<Data>, length: Int64? = nil, path: String = "/", method: String = "POST"
    ) -> HTTPRequestOperation {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = method
        request.setHTTPBody(body, contentLength: length)
        return HTTPRequestOperation(request: request)
    }

    @Test("The elements arrive in order, chunked or with the length that was stated", arguments: [false, true])
    func elements(isLengthKnown: Bool) async throws {
        let content = Data.random(1_000_000)
        let sizes = [1, 0, 300_000, 65_536, 634_463]
        var start = 0
        let pieces = sizes.map { size in
            defer { start += size }
            return content[start..<start + size]
        }
        let length: Int64? = isLengthKnown ? Int64(content.count) : nil
        #expect(await operation(HandedOut(elements: pieces), length: length).outcome().text == "received")
        let request = try await server.nextRequest()
        #expect(request.body == content)
        #expect(request["Content-Length"] == (isLengthKnown ? "1000000" : nil))
        #expect((request["Transfer-Encoding"] == "chunked") == !isLengthKnown)
    }

    @Test("The response can be read while the request is still being made")
    func bothWays() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        var request = URLRequest(url: server.url("/both"))
        request.httpMethod = "POST"
        request.setHTTPBody(stream)
        continuation.yield(Data("one".utf8))
        let received = Gate()
        server.respond(to: "/both", at: .afterHead) { _ in
            ScriptedResponse(body: .chunks(["early", "late"])).holding(received, at: .betweenPieces).beforeRequestBody()
        }
        var pieces: [String] = []
        for try await chunk in HTTPRequestOperation(request: request).chunks {
            pieces.append(String(decoding: chunk, as: UTF8.self))
            continuation.yield(Data("two".utf8))
            continuation.finish()
            received.open()
        }
        #expect(pieces == ["early", "late"])
    }

    @Test("A server that does not read holds the sequence back")
    func backPressure() async throws {
        var limits = TestServer.Limits()
        limits.receiveBuffer = 1 << 16
        let server = try TestServer(limits: limits)
        let gate = Gate()
        server.respondToOthers(at: .afterHead) { _ in .neverReading(until: gate, then: .ok("done")) }
        let body = HandedOut(elements: Array(repeating: Data(count: 100_000), count: 1000))
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.setHTTPBody(body)
        let operation = HTTPRequestOperation(request: request)
        operation.completionQueue = DispatchQueue(label: "test")
        operation.start()
        var asked = -1
        try await eventually("a standstill") {
            let now = body.asked.value
            defer { asked = now }
            try await Task.sleep(for: .milliseconds(100))
            return now > 0 && now == asked
        }
        #expect(asked < 200)
        operation.cancel()
        await operation.completed()
        #expect(operation.isCancelledError)
        gate.open()
    }

    @Test("A sequence that throws ends the operation, with its error underneath")
    func failing() async throws {
        let body = HandedOut(elements: [Data("abc".utf8)], error: TimedOutWaiting(description: "no more"))
        let outcome = await operation(body).outcome()
        #expect(outcome.urlError?.code == .requestBodyStreamExhausted)
        #expect(outcome.urlError?.userInfo[NSUnderlyingErrorKey] is TimedOutWaiting)
    }

    @Test("A sequence shorter or longer than its length is an error that says so", arguments: [9, 11])
    func wrongLength(length: Int64) async throws {
        let outcome = await operation(HandedOut(elements: [Data(count: 10)]), length: length).outcome()
        #expect(outcome.urlError?.code == .requestBodyStreamExhausted)
    }

    @Test("Where the content would have to be sent again the operation ends with an error that says so")
    func replay() async throws {
        server.respond(to: "/moved", .redirect(307, to: "/"))
        let outcome = await operation(HandedOut(elements: [Data("abc".utf8)]), path: "/moved", method: "PUT").outcome()
        #expect(outcome.urlError?.code == .requestBodyStreamExhausted)
        #expect(outcome.error?.localizedDescription.contains("only once") == true)
        #expect(server.requests.count == 1)
    }

    @Test("A pause keeps the connection, whatever the method")
    func pause() async throws {
        let gate = Gate()
        server.respond(to: "/slow", .ok("done").holding(gate, at: .beforeHead))
        let operation = operation(HandedOut(elements: [Data("abc".utf8)]), path: "/slow", method: "PUT")
        operation.completionQueue = DispatchQueue(label: "test")
        operation.start()
        _ = try await server.nextRequest()
        operation.pause()
        gate.open()
        operation.resume()
        await operation.completed()
        #expect(operation.responseString == "done" && server.requests.count == 1)
    }
}
