// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("URLRequest.timeoutInterval", .timeLimit(.minutes(3)), .serialized) struct TimeoutTests {
    /// A timeout comes after the limit, never before, and within 0.2 s of it; a busy machine gets three attempts at the
    /// latter.
    private func expectTimeout(
        after limit: Double = 0.5, _ make: () throws -> HTTPRequestOperation,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async rethrows {
        var shortest = Duration.seconds(1000)
        for _ in 0..<3 {
            let operation = try make()
            let begin = ContinuousClock.now
            let outcome = await operation.outcome()
            let elapsed = ContinuousClock.now - begin
            #expect(outcome.urlError?.code == .timedOut, sourceLocation: sourceLocation)
            let url = outcome.urlError?.userInfo[NSURLErrorFailingURLErrorKey] as? URL
            #expect(url == operation.request.url, sourceLocation: sourceLocation)
            #expect(elapsed >= .seconds(limit - 0.02), sourceLocation: sourceLocation)
            shortest = min(shortest, elapsed)
            if elapsed <= .seconds(limit + 0.2) { break }
        }
        #expect(shortest <= .seconds(limit + 0.2), sourceLocation: sourceLocation)
    }

    @Test("A byte every 300 ms never times out at 0.5 s")
    func drip() async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(body: .text("12345")).dripping(1, every: 0.3))
        let outcome = await HTTPRequestOperation(server.url("/"), timeout: 0.5).outcome()
        #expect(outcome.text == "12345")
    }

    @Test("A header field every 300 ms never times out at 0.5 s")
    func drippingHead() async throws {
        let server = try TestServer()
        let fields: [ScriptStep] = (0..<3).flatMap { [.send("X-\($0): 1\r\n"), .wait(seconds: 0.3)] }
        server.respond(
            to: "/", .script([.send("HTTP/1.1 200 OK\r\n")] + fields + [.send("Content-Length: 2\r\n\r\nok")]))
        #expect(await HTTPRequestOperation(server.url("/"), timeout: 0.5).outcome().text == "ok")
    }

    @Test("A server that stays silent before its head, within it, or within the content, times out")
    func silence() async throws {
        let server = try TestServer()
        server.respond(to: "/before", .stalled())
        server.respond(to: "/within", .script([.send("HTTP/1.1 200 OK\r\nX-A: b"), .stall]))
        server.respond(to: "/content", ScriptedResponse(body: .text("0123456789")).ending(.stall, afterBodyBytes: 4))
        for path in ["/before", "/within", "/content"] {
            await expectTimeout { HTTPRequestOperation(server.url(path), timeout: 0.5) }
        }
        server.respond(to: "/", .ok("fine"))
        #expect(await HTTPRequestOperation(server.url("/"), timeout: 5).outcome().text == "fine")
    }

    @Test("The response that came before the timeout is shown, but not its content")
    func partialResponse() async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(body: .text("0123456789")).ending(.stall, afterBodyBytes: 4))
        let outcome = await HTTPRequestOperation(server.url("/"), timeout: 0.3).outcome()
        #expect(outcome.urlError?.code == .timedOut)
        #expect(outcome.status == 200 && outcome.data == nil)
    }

    @Test("Connecting to a host that drops everything times out")
    func connecting() async throws {
        let blackhole = try BlackholePort()
        let url = try #require(URL(string: blackhole.urlString))
        await expectTimeout { HTTPRequestOperation(url, timeout: 0.5) }
    }

    @Test("A TLS handshake that stalls times out")
    func handshake() async throws {
        let server = try TestServer(greeting: [.stall])
        await expectTimeout { HTTPRequestOperation(server.url("/", scheme: "https"), timeout: 0.5) }
    }

    @Test("A server that does not read our content times out")
    func upload() async throws {
        var limits = TestServer.Limits()
        limits.receiveBuffer = 16 * 1024
        let server = try TestServer(limits: limits)
        let gate = Gate()
        server.respond(to: "/", .neverReading(until: gate))
        let operation = HTTPRequestOperation(server.url("/"), method: "POST", body: Data(count: 32 << 20), timeout: 0.5)
        let outcome = await operation.outcome()
        #expect(outcome.urlError?.code == .timedOut)
        gate.open()
    }

    @Test("An input stream that stays silent does not time out: nothing was asked of the server yet")
    func silentStream() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("received"))
        let gate = Gate()
        let operation = HTTPRequestOperation(server.url("/"), method: "POST", timeout: 0.3)
        operation.inputStream = SilentInputStream("late", until: gate)
        async let outcome = operation.outcome()
        try await Task.sleep(for: .seconds(0.8))
        gate.open()
        #expect(await outcome.text == "received")
        #expect(server.requests.first?.text == "late")
    }

    @Test("Waiting for one of the host's six connections does not count")
    func waitingForConnection() async throws {
        let server = try TestServer()
        server.respond(to: "/slow", ScriptedResponse(body: .text("12345678")).dripping(1, every: 0.25))
        server.respond(to: "/quick", .ok("quick"))
        let slow = (0..<6).map { _ in HTTPRequestOperation(server.url("/slow"), timeout: 1) }
        let quick = HTTPRequestOperation(server.url("/quick"), timeout: 1)
        await withTaskGroup(of: String?.self) { group in
            for operation in slow { group.addTask { await operation.outcome().text } }
            try? await eventually("six requests") { server.requests.count == 6 }
            group.addTask { await quick.outcome().text }
            var texts: [String?] = []
            for await text in group { texts.append(text) }
            #expect(texts.filter { $0 == "12345678" }.count == 6 && texts.contains("quick"))
        }
        #expect((quick.metrics?.queueTime ?? 0) > 1)
        #expect(server.maximumSimultaneousConnections == 6)
    }

    @Test("Waiting in the manager's queue does not count")
    func waitingInQueue() async throws {
        let server = try TestServer()
        server.respond(to: "/slow", ScriptedResponse(body: .text("1234")).dripping(1, every: 0.3))
        let manager = HTTPRequestOperationManager.offMain(server.url("/"))
        manager.responseSerializer = HTTPResponseSerializer()
        manager.requestSerializer.timeoutInterval = 0.7
        manager.operationQueue.maxConcurrentOperationCount = 1
        async let first = manager.getting("slow")
        async let second = manager.getting("slow")
        #expect(await [first.text, second.text] == ["1234", "1234"])
        #expect(server.maximumSimultaneousConnections == 1)
    }

    @Test("A user's block that takes longer than the limit does not time out")
    func slowBlock() async throws {
        let server = try TestServer()
        server.respond(to: "/", .redirect(to: "/target"))
        server.respond(to: "/target", .ok("arrived"))
        let operation = HTTPRequestOperation(server.url("/"), timeout: 0.4)
        operation.setRedirectResponseBlock { _, request, _ in
            Thread.sleep(forTimeInterval: 0.6)
            return request
        }
        #expect(await operation.outcome().text == "arrived")
    }

    @Test("The metrics of a request that timed out, or was cancelled, say how long it took")
    func totalTime() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .stalled() }
        let late = HTTPRequestOperation(server.url("/"), timeout: 0.5)
        #expect(await late.outcome().urlError?.code == .timedOut)
        let metrics = try #require(late.metrics)
        #expect(metrics.totalTime >= 0.48 && metrics.totalTime < 10)
        #expect(metrics.requestStartTime < metrics.totalTime && metrics.firstByteTime == 0)
    }
}
