// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// An interceptor of two closures.
private struct Hooks: RequestInterceptor {
    var adapting: @Sendable (URLRequest, HTTPRequestOperation) async throws -> URLRequest = { request, _ in request }
    var retrying: @Sendable (HTTPRequestOperation, any Error) async -> RetryDecision = { _, _ in .doNotRetry }

    func adapt(_ request: URLRequest, for operation: HTTPRequestOperation) async throws -> URLRequest {
        try await adapting(request, operation)
    }

    func retry(_ operation: HTTPRequestOperation, dueTo error: any Error) async -> RetryDecision {
        await retrying(operation, error)
    }

    /// Adds to the field X.
    static func appending(_ text: String) -> Hooks {
        Hooks(adapting: { request, operation in
            var request = request
            let old = request.value(forHTTPHeaderField: "X") ?? ""
            request.setValue(old + text + String(operation.retryCount), forHTTPHeaderField: "X")
            return request
        })
    }
}

@Suite("Interceptors", .timeLimit(.minutes(2))) struct InterceptorTests {
    private let server: TestServer
    private let manager: HTTPRequestOperationManager

    init() throws {
        server = try TestServer()
        manager = .offMain(server.url("/"))
        manager.responseSerializer = HTTPResponseSerializer()
        server.respondToOthers { $0.path == "/ok" ? .ok("ok") : ScriptedResponse(status: 404, body: .text("no")) }
    }

    @Test("They adapt in order, before each attempt, always from the operation's own request")
    func adapting() async throws {
        manager.interceptors = [
            Hooks.appending("a"), Hooks.appending("b"),
            Hooks(retrying: { operation, _ in operation.retryCount < 2 ? .retry : .doNotRetry }),
        ]
        let outcome = await manager.getting("missing")
        #expect(outcome.status == 404 && server.requests.map { $0["X"] } == ["a0b0", "a1b1", "a2b2"])
        #expect(outcome.operation?.request.value(forHTTPHeaderField: "X") == nil)
        // A resume makes another attempt, too.
        let operation = try manager.makeOperation(method: "GET", "ok")
        server.respond(to: "/ok", .stalled())
        operation.start()
        try await eventually("the request") { server.requests.count == 4 }
        operation.pause()
        server.respond(to: "/ok", .ok("ok"))
        _ = await operation.outcome { $0.resume() }
        #expect(server.requests.suffix(2).map { $0["X"] } == ["a0b0", "a0b0"] && operation.error == nil)
    }

    @Test("The error of an adapt is the operation's, as it is, and nothing is sent or asked")
    func adaptError() async {
        let asked = Tally()
        let failure = NSError(domain: "test", code: 7, userInfo: ["key": "value"])
        manager.retryPolicy = RetryPolicy()
        manager.interceptors = [
            Hooks(
                adapting: { _, _ in throw failure },
                retrying: { _, _ in
                    asked.increment()
                    return .retry
                })
        ]
        let outcome = await manager.getting("ok")
        #expect(outcome.error as NSError? === failure && server.requests.isEmpty && asked.value == 0)
    }

    @Test("They are asked in order until one decides, with the serializer's error, and then the policy")
    func asking() async {
        let journal = Journal<String>()
        @Sendable func hooks(_ name: String, _ decision: RetryDecision) -> Hooks {
            Hooks(retrying: { operation, error in
                let code = (error as? ResponseSerializationError)?.code == .badServerResponse
                journal.append("\(name)\(operation.retryCount)\(code)\(operation.response?.statusCode ?? 0)")
                return operation.retryCount == 0 ? decision : .doNotRetry
            })
        }
        manager.interceptors = [hooks("a", .doNotRetry), hooks("b", .retryAfter(.nan)), hooks("c", .retry)]
        #expect(await manager.getting("missing").status == 404)
        #expect(journal.all == ["a0true404", "b0true404", "a1true404", "b1true404", "c1true404"])
        manager.retryPolicy = RetryPolicy(maximumAttempts: 4, backoff: .none, statusCodes: [404])
        manager.interceptors = [hooks("d", .retry)]
        let attempts = await manager.getting("missing").operation?.metrics?.attempts ?? []
        #expect(attempts.map(\.statusCode) == [404, 404, 404, 404])
        #expect(await manager.getting("ok").error == nil && journal.count == 9)
    }

    @Test("Another error in place of the failure")
    func otherError() async {
        let failure = NSError(domain: "test", code: 8)
        manager.interceptors = [Hooks(retrying: { _, _ in .doNotRetryWithError(failure) })]
        let outcome = await manager.getting("missing")
        #expect(outcome.error as NSError? === failure && outcome.status == 404 && server.requests.count == 1)
    }

    @Test("One that never answers can be cancelled, and is told; so can time run out", arguments: [false, true])
    func hanging(adapts: Bool) async throws {
        let (asked, told) = (Tally(), Gate())
        let hang: @Sendable () async -> Void = {
            asked.increment()
            await withTaskCancellationHandler {
                while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
            } onCancel: {
                told.open()
            }
        }
        manager.interceptors = [
            adapts
                ? Hooks(adapting: { request, _ in
                    await hang()
                    return request
                })
                : Hooks(retrying: { _, _ in
                    await hang()
                    return .retry
                })
        ]
        let operation = try manager.makeOperation(method: "GET", "missing")
        async let outcome = operation.outcome()
        try await eventually("the interceptor") { asked.value == 1 }
        operation.cancel()
        #expect(await outcome.urlError?.code == .cancelled)
        await told.wait()
        let timed = try manager.makeOperation(method: "GET", "missing")
        timed.totalTimeout = 0.3
        let late = await timed.outcome().urlError
        #expect(late?.code == .timedOut && late?.localizedDescription.contains("interceptor") == true)
        #expect(server.requests.count == (adapts ? 0 : 2))
    }

    @Test("While one decides, its operation's slot is another's, and a pause is kept for the next attempt")
    func slots() async throws {
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 1
        manager.operationQueue = queue
        let (asked, gate) = (Tally(), Gate())
        manager.interceptors = [
            Hooks(retrying: { operation, _ in
                guard operation.retryCount == 0 else { return .doNotRetry }
                asked.increment()
                await gate.wait()
                return .retry
            })
        ]
        let operation = try manager.makeOperation(method: "GET", "missing")
        let endings = Endings(operation)
        manager.enqueue(operation)
        try await eventually("the interceptor") { asked.value == 1 }
        #expect(await manager.getting("ok").text == "ok")
        operation.pause()
        #expect(operation.state == .executing)
        gate.open()
        try await eventually("the pause") { operation.isPaused }
        #expect(server.requests.count == 2)
        operation.resume()
        await endings.reached()
        #expect(server.requests.count == 3 && operation.response?.statusCode == 404)
    }

    @Test("A 401 is told of also where the serializer takes it; what was added does not go to another origin")
    func unauthorized() async throws {
        let other = try TestServer()
        other.respondToOthers { _ in .status(401) }
        server.respond(to: "/moved", .redirect(307, to: other.url("/there").absoluteString))
        manager.responseSerializer.acceptableStatusCodes = nil
        let codes = Journal<Int>()
        manager.interceptors = [
            Hooks.appending("secret"),
            Hooks(retrying: { _, error in
                codes.append((error as NSError).code)
                return .doNotRetry
            }),
        ]
        let outcome = await manager.outcome {
            manager.get("moved", headers: ["X-Own": "1"], success: $0, failure: $1)
        }
        #expect(outcome.status == 401 && outcome.error == nil)
        #expect(codes.all == [URLError.Code.userAuthenticationRequired.rawValue])
        #expect(server.requests.last?["X"] == "secret0" && other.requests.count == 1)
        #expect(other.requests.first?["X"] == nil && other.requests.first?["X-Own"] == "1")
    }

    @Test("What an interceptor has made a POST is not sent twice by a pause: it keeps its connection")
    func adaptedMethod() async throws {
        manager.interceptors = [
            Hooks(adapting: { request, _ in
                var request = request
                request.httpMethod = "POST"
                return request
            })
        ]
        let gate = Gate()
        server.respond(to: "/ok", .ok("ok").holding(gate, at: .beforeBody))
        let operation = try manager.makeOperation(method: "GET", "ok")
        operation.start()
        try await eventually("the head") { operation.response != nil }
        operation.pause()
        #expect(operation.isPaused)
        let outcome = await operation.outcome { operation in
            operation.resume()
            gate.open()
        }
        #expect(outcome.text == "ok" && server.requests.map(\.method) == ["POST"] && server.connectionCount == 1)
    }

    @Test("The part of a download under a URL that an interceptor changes can be discarded")
    func discardedPart() async throws {
        let directory = try TemporaryDirectory()
        let target = directory.file("target")
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        }
        manager.interceptors = [
            Hooks(adapting: { request, _ in
                var request = request
                request.url = request.url.flatMap { URL(string: $0.absoluteString + "?key=1") }
                return request
            })
        ]
        let content = Data.random(100_000)
        server.respond(
            to: "/file", ScriptedResponse.ranged(content, etag: "\"a\"").ending(.stall, afterBodyBytes: 50_000))
        let operation = try manager.makeOperation(method: "GET", "file")
        operation.downloadDestination = DownloadDestination(fileURL: target)
        operation.start()
        try await eventually("the part") {
            FileManager.default.contents(atPath: target.path + ".part")?.count == 50_000
        }
        operation.cancel()
        await operation.completed()
        #expect(server.requests.map(\.query) == ["key=1"])
        #expect(try names() == ["target.part", "target.part.json"])
        operation.discardPartialDownload()
        #expect(try names() == [])
    }

    @Test("A download that did not decode and is sent again, by an interceptor's decision, is whole")
    func repeatedDownload() async throws {
        let directory = try TemporaryDirectory()
        let target = directory.file("target")
        let content = Data.random(100_000)
        let count = Tally()
        server.respond(to: "/file") { _ in
            let isFirst = count.increment() == 1
            // Refused by its first bytes, so that the rest, which does not come, is not waited for.
            let response = ScriptedResponse(
                headers: [("Content-Encoding", "gzip")], body: .data(isFirst ? content : content.gzipped))
            return isFirst ? response.ending(.stall, afterBodyBytes: 50_000) : response
        }
        manager.interceptors = [
            Hooks(retrying: { operation, _ in operation.retryCount == 0 ? .retry : .doNotRetry })
        ]
        let operation = try manager.makeOperation(method: "GET", "file")
        operation.downloadDestination = DownloadDestination(fileURL: target)
        await operation.run()
        #expect(operation.error == nil && operation.retryCount == 1)
        #expect(FileManager.default.contents(atPath: target.path) == content)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["target"])
    }
}
