// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("totalTimeout", .timeLimit(.minutes(2)), .serialized) struct TotalTimeoutTests {
    /// Ends with −1001 after the limit and not much later, and says what it was about.
    private func expectTimeout(
        after limit: TimeInterval = 0.5, _ phrase: String, _ operation: HTTPRequestOperation,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        operation.totalTimeout = limit
        let start = ContinuousClock.now
        let (error, wait) = try await Bystander().longestWait { await operation.outcome().urlError }
        let elapsed = ContinuousClock.now - start
        #expect(error?.errorCode == -1001, sourceLocation: sourceLocation)
        let text = error?.localizedDescription ?? ""
        #expect(text.contains(phrase) && text.contains("\(limit)"), "\(text)", sourceLocation: sourceLocation)
        let longest = limit + 5 * Patience.factor
        #expect(elapsed >= .seconds(limit) && elapsed < .seconds(longest), sourceLocation: sourceLocation)
        #expect(wait < .seconds(Patience.factor), sourceLocation: sourceLocation)
        #expect(operation.responseData == nil, sourceLocation: sourceLocation)
    }

    @Test("A byte every 100 ms, which never is idle, ends; so do a silent head, an upload and a handshake")
    func phases() async throws {
        let server = try TestServer()
        server.respond(to: "/drip", ScriptedResponse(body: .pattern(count: 1000)).dripping(1, every: 0.1))
        server.respond(to: "/silent", .stalled())
        try await expectTimeout("response was being received", HTTPRequestOperation(server.url("/drip")))
        try await expectTimeout("had not answered", HTTPRequestOperation(server.url("/silent")))
        #expect(server.openConnectionCount <= 2)
        let blackhole = try BlackholePort()
        let url = try #require(URL(string: blackhole.urlString))
        try await expectTimeout("connection was being made", HTTPRequestOperation(url))
        let secure = try TestServer(greeting: [.stall])
        try await expectTimeout("TLS handshake", HTTPRequestOperation(secure.url("/", scheme: "https")))
        var limits = TestServer.Limits()
        limits.receiveBuffer = 16 * 1024
        let slow = try TestServer(limits: limits)
        let gate = Gate()
        slow.respond(to: "/", .neverReading(until: gate))
        try await expectTimeout(
            "request was being sent", HTTPRequestOperation(slow.url("/"), method: "POST", body: Data(count: 32 << 20)))
        gate.open()
    }

    @Test("Redirects without end, each in good time, end; a redirect block that takes its time, too")
    func redirects() async throws {
        let server = try TestServer()
        server.respondToOthers { .redirect(to: $0.path + "x").waiting(0.1, at: .beforeHead) }
        try await expectTimeout("the server", HTTPRequestOperation(server.url("/")))
        server.respondToOthers { _ in .redirect(to: "/next") }
        let operation = HTTPRequestOperation(server.url("/"))
        let (asked, gate) = (Journal<Int>(), Gate())
        operation.setRedirectResponseBlock { _, request, response in
            asked.append(1)
            if response != nil { _ = gate.wait(timeout: 20) }
            return request
        }
        try await expectTimeout("a block", operation)
        let (before, requests) = (asked.count, server.requests.count)
        gate.open()
        // What the block answers comes too late.
        #expect(await HTTPRequestOperation(server.url("/x")).outcome().urlError != nil)
        #expect(asked.count == before && requests <= server.requests.count)
    }

    @Test("A block before the request counts")
    func preparation() async throws {
        let server = try TestServer()
        let operation = HTTPRequestOperation(server.url("/"))
        let gate = Gate()
        operation.setRedirectResponseBlock { _, request, _ in
            _ = gate.wait(timeout: 20)
            return request
        }
        try await expectTimeout("a block", operation)
        gate.open()
        #expect(server.requests.isEmpty)
    }

    @Test("In good time nothing happens, and no limit is none", arguments: [nil, 0, -1, .nan, .infinity, 1e300, 20])
    func none(limit: TimeInterval?) async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(body: .text("123")).dripping(1, every: 0.1))
        let operation = HTTPRequestOperation(server.url("/"))
        #expect(operation.totalTimeout == nil)
        operation.totalTimeout = limit
        #expect(await operation.outcome().text == "123")
    }

    @Test("Waiting in a queue, and for one of the host's connections, does not count")
    func waiting() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respond(to: "/slow", ScriptedResponse(body: .text("slow")).holding(gate, at: .beforeHead))
        server.respond(to: "/quick", .ok("quick"))
        let slow = (0..<6).map { _ in HTTPRequestOperation(server.url("/slow")) }
        let quick = HTTPRequestOperation(server.url("/quick"))
        quick.totalTimeout = 0.5
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 1
        await withTaskGroup(of: String?.self) { group in
            for operation in slow { group.addTask { await operation.outcome().text } }
            try? await eventually("six requests") { server.requests.count == 6 }
            group.addTask { await quick.outcome { queue.addOperation($0) }.text }
            try? await Task.sleep(for: .seconds(1))
            #expect(!quick.isFinished)
            gate.open()
            var texts: [String?] = []
            for await text in group { texts.append(text) }
            #expect(texts.contains("quick"))
        }
    }

    @Test("A pause does not count, however the request is held; what came before does", arguments: ["GET", "POST"])
    func pauses(method: String) async throws {
        let server = try TestServer()
        server.respond(to: "/", .stalled())
        let operation = HTTPRequestOperation(server.url("/"), method: method)
        operation.totalTimeout = 1
        operation.completionQueue = DispatchQueue(label: "test")
        operation.start()
        try await Task.sleep(for: .seconds(0.6))
        operation.pause()
        try await Task.sleep(for: .seconds(1))
        #expect(operation.isPaused && operation.error == nil)
        let start = ContinuousClock.now
        let error = await operation.outcome { $0.resume() }.urlError
        let elapsed = ContinuousClock.now - start
        #expect(error?.errorCode == -1001)
        #expect(elapsed > .seconds(0.2) && elapsed < .seconds(0.95), "\(elapsed)")
    }

    @Test("A request that was paused before it was sent, and waits for a connection after that, spends no time")
    func pausedUnsent() async throws {
        // Connections are made, and no request can be sent on them.
        let server = try TestServer(greeting: [.stall])
        let operations = (0..<7).map { _ in
            let operation = HTTPRequestOperation(server.url("/", scheme: "https"), method: "POST")
            // None waits for what another's handshake agrees on.
            operation.httpVersionPreference = .http1
            operation.completionQueue = DispatchQueue(label: "test")
            return operation
        }
        defer { for operation in operations { operation.cancel() } }
        let (waiting, last) = (operations[0], operations[6])
        waiting.totalTimeout = Patience.factor
        for operation in operations[1..<6] { operation.start() }
        try await eventually("five connections") { server.connectionCount == 5 }
        waiting.start()
        try await eventually("its connection") { server.connectionCount == 6 }
        waiting.pause()
        last.start()
        try await eventually("another's in its place") { server.connectionCount == 7 }
        waiting.resume()
        try await Task.sleep(for: .seconds(1.2 * Patience.factor))
        #expect(waiting.error == nil && !waiting.isFinished)
        #expect(server.connectionCount == 7)
    }

    @Test("Cancelled, paused and resumed around the limit, an operation ends once")
    func races() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .stalled() }
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<60 {
                group.addTask {
                    let operation = HTTPRequestOperation(server.url("/"), method: index % 2 == 0 ? "GET" : "POST")
                    operation.totalTimeout = 0.05
                    let outcome = await operation.outcome { operation in
                        operation.start()
                        Thread.detachNewThread {
                            for round in 0..<10 {
                                operation.pause()
                                Thread.sleep(forTimeInterval: Double(round + index % 5) / 500)
                                operation.resume()
                            }
                            if index % 3 == 0 { operation.cancel() }
                        }
                    }
                    #expect([-1001, -999].contains(outcome.code), "\(outcome.error as Any)")
                }
            }
        }
    }
}
