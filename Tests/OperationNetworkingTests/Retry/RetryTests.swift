// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Retry", .timeLimit(.minutes(2))) struct RetryTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    /// Answers the first requests with `failures`, one after the other, and all others with `last`.
    private func answer(_ failures: [ScriptedResponse], then last: ScriptedResponse = .ok("done")) {
        let count = Tally()
        server.respondToOthers { _ in
            let index = count.increment() - 1
            return index < failures.count ? failures[index] : last
        }
    }

    private func operation(
        _ method: String = "GET", body: Data? = nil, _ policy: RetryPolicy? = RetryPolicy(backoff: .constant(0.01))
    ) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(server.url("/"), method: method, body: body)
        operation.retryPolicy = policy
        return operation
    }

    private static let busy = ScriptedResponse(status: 503, body: .text("busy"))
    private static let forever = RetryPolicy(backoff: .constant(3600))

    @Test("Two failures and a success: one completion, one start, three attempts in the metrics")
    func success() async throws {
        answer([Self.busy, ScriptedResponse(status: 200, body: .text("0123")).ending(.reset, afterBodyBytes: 2)])
        let operation = operation()
        let endings = Endings(operation)
        let outcome = await operation.outcome()
        #expect(outcome.error == nil, "\(String(describing: outcome.error))")
        #expect(outcome.text == "done" && operation.retryCount == 2)
        #expect(endings.transitions.values == [.executing, .finished] && server.requests.count == 3)
        let attempts = try #require(operation.metrics?.attempts)
        #expect(attempts.map(\.number) == [1, 2, 3] && attempts.map(\.statusCode) == [503, nil, 200])
        #expect(attempts.map { ($0.error as? URLError)?.code } == [nil, .networkConnectionLost, nil])
        #expect(attempts.map(\.delay) == [0, 0.01, 0.01])
        #expect(zip(attempts, attempts.dropFirst()).allSatisfy { $1.startDate.timeIntervalSince($0.startDate) >= 0.01 })
    }

    @Test("One notification of the start and one of the end, whatever the attempts")
    func notifications() async throws {
        answer([Self.busy, Self.busy])
        let operation = operation()
        let names = Recorder<Notification.Name>()
        let observers = [Notification.Name.networkingOperationDidStart, .networkingOperationDidFinish].map { name in
            NotificationCenter.default.addObserver(forName: name, object: operation, queue: nil) { _ in
                names.append(name)
            }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        await operation.run()
        try await eventually("the notifications") { names.count >= 2 }
        #expect(names.values == [.networkingOperationDidStart, .networkingOperationDidFinish])
    }

    @Test("Without a policy, and of a single attempt, nothing is sent twice; the metrics have one attempt")
    func none() async {
        answer([], then: Self.busy)
        for policy in [nil, RetryPolicy(maximumAttempts: 1)] {
            let operation = operation("GET", policy)
            let outcome = await operation.outcome()
            #expect(outcome.status == 503 && outcome.error != nil && outcome.data == Data("busy".utf8))
            #expect(operation.metrics?.attempts.count == 1 && operation.retryCount == 0)
        }
        #expect(server.requests.count == 2)
    }

    @Test("The last failure is the result, parsed like any other")
    func exhausted() async {
        answer(
            [], then: ScriptedResponse(status: 503, headers: [("Content-Type", "application/json")], body: .text("[1]"))
        )
        let operation = operation()
        operation.responseSerializer = JSONResponseSerializer()
        let outcome = await operation.outcome()
        #expect(server.requests.count == 3 && outcome.status == 503 && outcome.object as? [Int] == [1])
        #expect((outcome.error as? ResponseSerializationError)?.code == .badServerResponse)
    }

    @Test("POST and PATCH go out once, unless it is said that they may be repeated; then with the same content")
    func methods() async {
        answer([], then: Self.busy)
        for method in ["POST", "PATCH"] { _ = await operation(method, body: Data("x".utf8)).outcome() }
        #expect(server.requests.count == 2)
        let repeated = operation("POST", body: Data("content".utf8))
        repeated.resendsNonIdempotentRequests = true
        _ = await repeated.outcome()
        let named = operation(
            "PATCH", body: Data("content".utf8), RetryPolicy(maximumAttempts: 2, backoff: .none, methods: ["PATCH"]))
        _ = await named.outcome()
        #expect(server.requests.dropFirst(2).map(\.text) == Array(repeating: "content", count: 5))
    }

    @Test("A stream that was read is not sent again; a multipart form is")
    func bodies() async throws {
        answer([], then: Self.busy)
        let operation = operation("PUT")
        operation.inputStream = InputStream(data: Data("once".utf8))
        #expect(await operation.outcome().status == 503)
        #expect(server.requests.map(\.text) == ["once"])
        let request = try HTTPRequestSerializer().multipartFormRequest(
            withMethod: "PUT", urlString: server.url("/").absoluteString, parameters: nil
        ) { $0.appendPart(withForm: Data(repeating: 7, count: 100_000), name: "a") }
        let form = HTTPRequestOperation(request: request)
        form.retryPolicy = RetryPolicy(backoff: .none)
        #expect(await form.outcome().status == 503)
        let bodies = server.requests.dropFirst().map(\.body)
        #expect(bodies.count == 3 && Set(bodies).count == 1 && (bodies.first?.count ?? 0) > 100_000)
    }

    @Test("Retry-After is waited for; one that is too long ends the operation with the response")
    func retryAfter() async throws {
        answer([ScriptedResponse(status: 429, headers: [("Retry-After", "1")])])
        #expect(await operation().outcome().text == "done")
        let times = server.requests.map(\.time)
        #expect(try times.count == 2 && #require(times.last) - #require(times.first) >= .seconds(1))
        answer([], then: ScriptedResponse(status: 429, headers: [("Retry-After", "61")]))
        let refused = await operation().outcome()
        #expect(refused.status == 429 && server.requests.count == 3)
    }

    @Test("While it waits, its slot is another's; cancelled, it ends at once, with what it had tried")
    func slots() async throws {
        answer([Self.busy])
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 1
        let first = operation("GET", Self.forever)
        let second = operation()
        let journal = Endings(first)
        async let other = second.outcome { operation in queue.enqueue([first, operation]) }
        #expect(await other.text == "done")
        #expect(first.state == .executing && first.isExecuting && !first.isFinished && queue.operationCount >= 1)
        first.cancel()
        await journal.reached()
        #expect(first.isCancelledError && first.metrics?.attempts.map(\.statusCode) == [503])
        try await eventually("the queue is empty") { queue.operationCount == 0 }
        #expect(server.requests.count == 2)
    }

    @Test("Paused while it waits, it is sent after the resume only, and not before its time")
    func pause() async throws {
        answer([Self.busy])
        let operation = operation("GET", RetryPolicy(backoff: .constant(0.3)))
        let endings = Endings(operation)
        operation.start()
        try await eventually("the first attempt's end") { operation.retryCount == 1 }
        operation.pause()
        operation.resume()
        operation.pause()
        #expect(operation.isPaused)
        let other = HTTPRequestOperation(server.url("/"))
        // Longer than the back-off.
        other.retryPolicy = RetryPolicy(backoff: .constant(0.5), statusCodes: [200])
        _ = await other.outcome()
        #expect(operation.isPaused && server.requests.count == 4)
        operation.resume()
        await endings.reached()
        #expect(operation.responseString == "done" && server.requests.count == 5)
        #expect(endings.completions.value == 1 && operation.metrics?.attempts.count == 2)
    }

    @Test("Paused and resumed before its time, it still waits for it, in a queue, too", arguments: [false, true])
    func resumedEarly(inQueue: Bool) async throws {
        answer([Self.busy])
        let operation = operation("GET", RetryPolicy(backoff: .constant(0.3)))
        let endings = Endings(operation)
        let queue = RequestOperationQueue()
        if inQueue { queue.addOperation(operation) } else { operation.start() }
        try await eventually("the first attempt's end") { operation.retryCount == 1 }
        operation.pause()
        operation.resume()
        await endings.reached()
        let times = server.requests.map(\.time)
        #expect(try times.count == 2 && #require(times.last) - #require(times.first) >= .milliseconds(290))
        #expect(operation.error == nil && endings.completions.value == 1)
    }

    @Test("The time before another attempt counts for totalTimeout, whose error says so")
    func totalTimeout() async throws {
        answer([], then: Self.busy)
        let operation = operation("GET", Self.forever)
        operation.totalTimeout = 0.3
        let outcome = await operation.outcome()
        #expect(outcome.urlError?.code == .timedOut && server.requests.count == 1)
        #expect(outcome.urlError?.localizedDescription.contains("waited to be sent again") == true)
    }

    @Test("An operation that nobody holds goes on after its wait")
    func unowned() async throws {
        answer([Self.busy])
        let done = Gate()
        do {
            let operation = operation()
            operation.completionQueue = DispatchQueue(label: "test")
            operation.completionBlock = { done.open() }
            operation.start()
        }
        #expect(await blocking { done.wait(timeout: 20) })
        #expect(server.requests.count == 2)
    }

    @Test("A download goes on with its partial file, over a lost connection and an error response")
    func download() async throws {
        let data = ScriptedResponse.longPattern(count: 200_000)
        let whole = ScriptedResponse.ranged(data, etag: "\"v1\"")
        answer([whole.ending(.reset, afterBodyBytes: 80_000), Self.busy], then: whole)
        let directory = try TemporaryDirectory()
        let operation = operation()
        operation.downloadDestination = DownloadDestination(fileURL: directory.file("content"))
        let outcome = await operation.outcome()
        #expect(outcome.error == nil)
        #expect(FileManager.default.contents(atPath: directory.file("content").path) == data)
        let requests = server.requests
        #expect(requests.count == 3 && requests[0]["Range"] == nil)
        #expect(requests[1]["Range"]?.hasPrefix("bytes=") == true && requests[1]["If-Range"] == "\"v1\"")
        #expect(requests[2]["Range"] == requests[1]["Range"])
    }

    @Test("A stream gets no content of an error response, and no byte twice")
    func stream() async throws {
        let data = ScriptedResponse.longPattern(count: 200_000)
        let whole = ScriptedResponse.ranged(data, etag: "\"v1\"")
        answer([Self.busy, whole.ending(.reset, afterBodyBytes: 80_000)], then: whole)
        let operation = operation()
        let stream = OutputStream.toMemory()
        operation.outputStream = stream
        let outcome = await operation.outcome()
        #expect(outcome.error == nil && stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data == data)
        #expect(server.requests.last?["Range"] != nil && server.requests.count == 3)
        // Nothing says that the rest would belong to what was delivered.
        answer([ScriptedResponse(body: .data(data)).ending(.reset, afterBodyBytes: 80_000)], then: whole)
        let lost = self.operation()
        lost.outputStream = OutputStream.toMemory()
        #expect(await lost.outcome().urlError?.code == .networkConnectionLost)
        #expect(server.requests.count == 4)
    }

    @Test("A loop over chunks gets the content of the last response only, and no byte twice")
    func chunks() async throws {
        let data = ScriptedResponse.longPattern(count: 200_000)
        let whole = ScriptedResponse.ranged(data, etag: "\"v1\"")
        answer([Self.busy, whole.ending(.reset, afterBodyBytes: 80_000), Self.busy], then: whole)
        let operation = operation("GET", RetryPolicy(maximumAttempts: 4, backoff: .constant(0.01)))
        #expect(try await operation.chunks.reduce(into: Data()) { $0.append($1) } == data)
        #expect(operation.retryCount == 3 && operation.error == nil && operation.responseData == nil)
        #expect(server.requests.map { $0["Range"] != nil } == [false, false, true, true])
        // The last failure is the error, with its content.
        answer([], then: Self.busy)
        let refused = self.operation()
        let error = await #expect(throws: ResponseSerializationError.self) {
            for try await _ in refused.chunks { Issue.record("content of an error response") }
        }
        #expect(error != nil && refused.retryCount == 2 && refused.responseData == Data("busy".utf8))
    }

    @Test("With a policy the content of a final error response is responseData, and the stream is closed, empty")
    func finalErrorToStream() async {
        answer([], then: Self.busy)
        let operation = operation()
        let stream = OutputStream.toMemory()
        operation.outputStream = stream
        let outcome = await operation.outcome()
        #expect(outcome.status == 503 && outcome.data == Data("busy".utf8))
        #expect((stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data)?.isEmpty != false)
    }

    @Test("What many operations may spend is shared")
    func budget() async {
        answer([], then: Self.busy)
        let manager = HTTPRequestOperationManager.offMain(server.url("/"))
        manager.retryPolicy = RetryPolicy(
            backoff: .constant(0.001), budget: RetryBudget(ratio: 0.1, minimumPerSecond: 0.0001))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { _ = await manager.getting("x") } }
        }
        #expect(server.requests.count <= 44 && server.requests.count > 40)
    }

    @Test("A request that was paused before it was sent counts for the budget all the same")
    func budgetAfterPause() async {
        answer([Self.busy])
        let budget = RetryBudget(ratio: 1, minimumPerSecond: 0)
        let operation = operation("GET", RetryPolicy(backoff: .constant(0.01), budget: budget))
        let (calls, paused) = (Tally(), Gate())
        operation.setRedirectResponseBlock { operation, request, _ in
            if calls.increment() == 1 {
                operation.pause()
                paused.open()
            }
            return request
        }
        operation.start()
        await paused.wait()
        let outcome = await operation.outcome { $0.resume() }
        #expect(outcome.error == nil && outcome.text == "done" && operation.retryCount == 1)
    }

    @Test("Who waits for the network tries again when it is back, beyond the attempts")
    func connectivity() async throws {
        let port = try RefusedPort()
        let operation = HTTPRequestOperation(try #require(URL(string: port.urlString)))
        operation.retryPolicy = RetryPolicy(
            maximumAttempts: 1, backoff: .constant(3600), waitsForConnectivity: true)
        let endings = Endings(operation)
        operation.start()
        for count in 1...3 {
            try await eventually("attempt \(count)'s end") { operation.retryCount >= count }
            #expect(operation.state == .executing)
            // Said again: the operation may be about to wait.
            try await eventually("another attempt") {
                Connectivity.shared.becameAvailable()
                return operation.retryCount > count
            }
        }
        operation.cancel()
        await endings.reached()
        #expect(operation.isCancelledError)
    }

    @Test("The end of a time that was cut short takes nobody off the list of those who wait for the network")
    func connectivityAfterCutTime() async throws {
        answer([])
        let port = try RefusedPort()
        let operation = HTTPRequestOperation(try #require(URL(string: port.urlString)))
        operation.retryPolicy = RetryPolicy(backoff: .constant(0.5), waitsForConnectivity: true)
        let endings = Endings(operation)
        operation.start()
        try await eventually("the first attempt's end") { operation.retryCount >= 1 }
        operation.retryPolicy = RetryPolicy(backoff: .constant(3600), waitsForConnectivity: true)
        try await eventually("the second attempt's end") {
            Connectivity.shared.becameAvailable()
            return operation.retryCount >= 2
        }
        // Another one waits longer than the first time was, which then is over.
        let other = self.operation(
            "GET", RetryPolicy(maximumAttempts: 2, backoff: .constant(0.6), statusCodes: [200]))
        _ = await other.outcome()
        let count = operation.retryCount
        try await eventually("another attempt") {
            Connectivity.shared.becameAvailable()
            return operation.retryCount > count
        }
        operation.cancel()
        await endings.reached()
        #expect(operation.isCancelledError)
    }

    @Test("What depends on it waits for the last attempt")
    func dependents() async throws {
        answer([Self.busy, Self.busy])
        let (first, second) = (operation(), HTTPRequestOperation(server.url("/second")))
        second.addDependency(first) { upstream, request in
            request.setValue(upstream.responseString, forHTTPHeaderField: "X-Upstream")
        }
        let queue = RequestOperationQueue()
        _ = await second.outcome { queue.enqueue([$0, first]) }
        #expect(server.requests.map(\.path) == ["/", "/", "/", "/second"])
        #expect(server.requests.last?["X-Upstream"] == "done")
    }

    @Test("A copy has the policy, and so have a manager's copy and operations")
    func copies() throws {
        let operation = operation("GET", RetryPolicy(maximumAttempts: 7))
        #expect((operation.copy() as? HTTPRequestOperation)?.retryPolicy?.maximumAttempts == 7)
        let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
        #expect(manager.retryPolicy == nil && HTTPRequestOperation(server.url("/")).retryPolicy == nil)
        manager.retryPolicy = RetryPolicy(maximumAttempts: 8)
        let copy = try #require(manager.copy() as? HTTPRequestOperationManager)
        #expect(try copy.makeOperation(method: "GET", "x").retryPolicy?.maximumAttempts == 8)
        manager.configure(operation)
        #expect(operation.retryPolicy?.maximumAttempts == 8)
    }

    @Test("httpbin: a status that passes is asked for three times; one that does not once")
    func httpbin() async throws {
        let httpbin = try HTTPBinServer.shared()
        let manager = HTTPRequestOperationManager.offMain(httpbin.url("/"))
        manager.retryPolicy = RetryPolicy(backoff: .constant(0.01))
        let failed = await manager.getting("status/503")
        #expect(failed.status == 503 && failed.operation?.metrics?.attempts.map(\.statusCode) == [503, 503, 503])
        #expect(await manager.getting("status/418").operation?.metrics?.attempts.count == 1)
        #expect(await manager.getting("get").error == nil)
    }
}
