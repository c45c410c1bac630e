// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSessions

/// Suspensions in the middle of a response: who reads it is told of one response, and of its content once.
@Suite("Suspensions of session tasks", .timeLimit(.minutes(1))) struct SuspensionTests {
    private static let content = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

    @Test("What was paused as an operation goes on with the task")
    func pausedOperation() async throws {
        let gate = Gate()
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse.ok("content").holding(gate, at: .beforeHead))
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let task = session.dataTask(with: server.url())
        task.resume()
        session.operation(for: task)?.pause()
        task.resume()
        gate.open()
        await delegate.isComplete.wait()
        #expect(delegate.error == nil && delegate.data == Data("content".utf8))
    }

    @Test("A second start does not begin what the first one still gets ready for")
    func startTwice() async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0.text) }
        let directory = try TemporaryDirectory()
        let file = directory.file("content")
        try Data("content".utf8).write(to: file)
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let task = session.uploadTask(with: request, fromFile: file)
        let operation = try #require(session.operation(for: task) as? SessionOperation)
        let inner = try #require(operation.owner as? SessionTask)
        // As another thread has it that a resumption came to before: the file is not open yet.
        inner.withState { $0.isGettingReady = true }
        operation.start()
        #expect(!operation.isExecuting)
        inner.withState { $0.isGettingReady = false }
        operation.start()
        await delegate.isComplete.wait()
        #expect(delegate.error == nil && delegate.data == Data("content".utf8) && server.requests.count == 1)
    }

    /// A delegate that suspends its task when the response, or content, comes; counts responses.
    private final class Suspender {
        let delegate = RecordingDelegate()
        let responses = Notes<Int>()
        let isSuspended = Gate()
        private var task: URLSessionTask?

        /// Runs a task, and resumes it after its suspension and what happens in that time.
        func run(_ url: URL, atResponse: Bool = false, meanwhile: () async -> Void = {}) async {
            start(url, atResponse: atResponse)
            await isSuspended.wait()
            await meanwhile()
            task?.resume()
            await delegate.isComplete.wait()
        }

        func expectOneResponse(with content: Data) {
            #expect(delegate.error == nil)
            #expect(responses.all == [200])
            let isWhole = delegate.data == content
            #expect(isWhole)
        }

        private func start(_ url: URL, atResponse: Bool) {
            delegate.disposition = { [responses, isSuspended] task, response in
                responses.add((response as? HTTPURLResponse)?.statusCode ?? 0)
                if atResponse, !isSuspended.isOpen {
                    task.suspend()
                    isSuspended.open()
                }
                return .allow
            }
            delegate.whenReceiving = { [isSuspended] task, _ in
                guard !atResponse, !isSuspended.isOpen else { return }
                task.suspend()
                isSuspended.open()
            }
            let task = OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(with: url)
            self.task = task
            task.resume()
        }
    }

    @Test("A task that its delegate suspends when it is asked about the response", arguments: [nil, "\"a\""])
    func atResponse(etag: String?) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            ScriptedResponse(body: .resource(Self.content, etag: etag, lastModified: nil))
        }
        let suspender = Suspender()
        await suspender.run(server.url(), atResponse: true)
        suspender.expectOneResponse(with: Self.content)
    }

    @Test(
        "A task that its delegate suspends when it is asked what to do goes on with the answer",
        arguments: ["/from", "/to"])
    func whenAsked(_ path: String) async throws {
        let server = try TestServer()
        server.respond(to: "/from", .redirect(to: "/to"))
        server.respond(to: "/to") { request in
            request["Authorization"] == nil
                ? ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")]) : .ok("there")
        }
        let delegate = RecordingDelegate()
        let (questions, isSuspended) = (Notes<String>(), Gate())
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let task = session.dataTask(with: server.url(path))
        @Sendable func suspend(when question: String) {
            questions.add(question)
            guard path == question else { return }
            task.suspend()
            isSuspended.open()
        }
        delegate.redirect = { request in
            suspend(when: "/from")
            return request
        }
        delegate.challenge = { _ in
            suspend(when: "/to")
            return (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
        }
        task.resume()
        await isSuspended.wait()
        await Self.untilNetworkThreadKnows()
        task.resume()
        await delegate.isComplete.wait()
        #expect(delegate.data == Data("there".utf8))
        #expect(questions.all == (path == "/from" ? ["/from", "/to"] : ["/to"]))
        #expect(server.requests.count == (path == "/from" ? 3 : 2))
    }

    @Test("What cannot be continued by a range waits on its connection")
    func onItsConnection() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respondToOthers { _ in
            ScriptedResponse(body: .data(Self.content)).with { $0.pieceSize = 200_000 }
                .holding(gate, at: .betweenPieces)
        }
        let suspender = Suspender()
        await suspender.run(server.url()) { gate.open() }
        suspender.expectOneResponse(with: Self.content)
        #expect(server.requests.count == 1)
    }

    @Test("A connection that is lost during a suspension is replaced, and what was told is not told again")
    func lostConnection() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respondToOthers { _ in
            guard !gate.isOpen else { return ScriptedResponse(body: .data(Self.content)) }
            return ScriptedResponse(body: .data(Self.content)).with { $0.pieceSize = 200_000 }
                .inserting([.gate(gate), .reset], at: .betweenPieces)
        }
        let suspender = Suspender()
        await suspender.run(server.url()) {
            await Self.untilNetworkThreadKnows()
            gate.open()
        }
        suspender.expectOneResponse(with: Self.content)
        #expect(server.requests.count == 2)
    }

    @Test("Where another response follows a lost connection, its content is not given as that of the first")
    func anotherResponse() async throws {
        let server = try TestServer()
        let gates = (head: Gate(), content: Gate())
        for (path, gate, content) in [("/head", gates.head, ""), ("/content", gates.content, "beginning")] {
            server.respond(to: path) { _ in
                guard !gate.isOpen else { return ScriptedResponse(status: 404, body: .text("not found")) }
                return .script([.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + content), .gate(gate), .reset])
            }
        }
        let asked = Suspender()
        await asked.run(server.url("/head"), atResponse: true) {
            await Self.untilNetworkThreadKnows()
            gates.head.open()
        }
        #expect(asked.delegate.error == nil)
        #expect(asked.responses.all == [200, 404])
        #expect(asked.delegate.data == Data("not found".utf8))
        let failed = Suspender()
        await failed.run(server.url("/content")) {
            await Self.untilNetworkThreadKnows()
            gates.content.open()
        }
        #expect(failed.delegate.code == .networkConnectionLost)
        #expect(failed.responses.all == [200])
        #expect(failed.delegate.data == Data("beginning".utf8))
    }

    @Test("An upload from a stream that can be read once only waits on its connection", arguments: [false, true])
    func streamedUpload(isManagers: Bool) async throws {
        let gate = Gate()
        defer { gate.open() }
        // More content than sockets hold: it is on its way until the server reads.
        var limits = TestServer.Limits()
        limits.receiveBuffer = 64 << 10
        let length = 16 << 20
        let server = try TestServer(limits: limits, greeting: [.stopReading, .gate(gate), .startReading])
        server.respondToOthers { _ in .ok("received") }
        let session = OperationURLSession(configuration: .ephemeral)
        let manager = URLSessionManager(sessionConfiguration: .ephemeral).offMain()
        manager.responseSerializer = HTTPResponseSerializer()
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: Data(count: length))
        let errors = Notes<(any Error)?>()
        let task: URLSessionTask =
            isManagers
            ? manager.dataTask(with: request) { _, _, error in errors.add(error) }
            : session.dataTask(with: request) { _, _, error in errors.add(error) }
        task.resume()
        try await eventually("content goes out") { task.countOfBytesSent > 0 }
        task.suspend()
        await Self.untilNetworkThreadKnows()
        task.resume()
        gate.open()
        try await eventually("the end") { !errors.all.isEmpty }
        #expect(errors.all.allSatisfy { $0 == nil })
        #expect(server.requests.map(\.bodyLength) == [length] && server.connectionCount == 1)
    }

    @Test("An upload that loses its connection during a suspension is sent anew from another stream of the delegate's")
    func lostUpload() async throws {
        let gate = Gate()
        defer { gate.open() }
        var limits = TestServer.Limits()
        limits.receiveBuffer = 64 << 10
        let length = 16 << 20
        let server = try TestServer(limits: limits)
        server.enqueue(.script([.stopReading, .gate(gate), .reset]).beforeRequestBody(), .ok("received"))
        let delegate = RecordingDelegate()
        let streams = Notes<Int>()
        delegate.bodyStream = {
            streams.add(length)
            return InputStream(data: Data(count: length))
        }
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let task = session.uploadTask(withStreamedRequest: request)
        task.resume()
        try await eventually("content goes out") { task.countOfBytesSent > 0 && server.requests.count == 1 }
        task.suspend()
        await Self.untilNetworkThreadKnows()
        gate.open()
        try await eventually("the connection is lost") { server.openConnectionCount == 0 }
        task.resume()
        await delegate.isComplete.wait()
        #expect(delegate.error == nil && delegate.data == Data("received".utf8))
        #expect(streams.all.count == 2)
        #expect(server.requests.count == 2 && server.requests.last?.bodyLength == length)
    }

    @Test("An upload that was redirected, and then loses its connection during a suspension, asks for one more stream")
    func lostAfterRedirect() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try TestServer()
        server.enqueue(.redirect(307, to: "/two"), .script([.gate(gate), .reset]), .ok("received"))
        let (delegate, streams) = (RecordingDelegate(), Notes<Void>())
        delegate.bodyStream = {
            streams.add(())
            return InputStream(data: Data("content".utf8))
        }
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let task = session.uploadTask(withStreamedRequest: request)
        task.resume()
        // The server goes on once it has the content, which a suspension would keep back.
        try await eventually("the second request") { server.requests.filter(\.isComplete).count == 2 }
        task.suspend()
        await Self.untilNetworkThreadKnows()
        gate.open()
        try await eventually("the connection is lost") { server.openConnectionCount == 0 }
        task.resume()
        await delegate.isComplete.wait()
        #expect(delegate.error == nil && delegate.data == Data("received".utf8))
        #expect(server.requests.map(\.text) == ["content", "content", "content"])
        #expect(streams.all.count == 3)
    }

    // MARK: Several threads

    /// Loads nothing, and notes what it is told; does something first, as another thread may at that moment.
    private final class NotingLoader: SessionTaskLoader {
        let calls = Notes<String>()
        let beforePausing = Locked<(@Sendable () -> Void)?>(nil)
        let beforeProceeding = Locked<(@Sendable () -> Void)?>(nil)

        func begin(_ task: SessionTask) { calls.add("begin") }
        func pause() {
            beforePausing.withLock { $0.take() }?()
            calls.add("pause")
        }
        func proceed() {
            beforeProceeding.withLock { $0.take() }?()
            calls.add("proceed")
        }
        func stop() { calls.add("stop") }
    }

    @Test("What loads a task that is resumed while it is being suspended, or the reverse, does what came last")
    func atOnce() async throws {
        let session = OperationURLSession(configuration: .ephemeral)
        let task = session.dataTask(with: try #require(URL(string: "data:,content")))
        let loader = NotingLoader()
        let inner = try #require((task as? any SessionTaskFace)?.task)
        inner.set(.foreign(loader))
        task.resume()
        loader.beforePausing.withLock { $0 = { task.resume() } }
        task.suspend()
        #expect(task.state == .running)
        #expect(loader.calls.all.prefix(3) == ["begin", "proceed", "pause"] && loader.calls.all.last == "proceed")
        task.suspend()
        #expect(loader.calls.all.last == "pause")
        loader.beforeProceeding.withLock { $0 = { task.suspend() } }
        task.resume()
        #expect(task.state == .suspended)
        #expect(loader.calls.all.suffix(3) == ["pause", "proceed", "pause"])
        task.cancel()
        try await eventually("the end") { task.state == .completed }
    }

    /// Suspends its task when it hears of a resume, which has not been carried out then.
    private final class ContraryClient: SessionTaskClient {
        let isContrary = Locked(false)

        func interests(of task: SessionTask) -> ClientInterests { [] }
        func perform(for task: SessionTask, _ work: @escaping @Sendable () -> Void) { work() }
        func task(_ task: SessionTask, didFinish result: SessionTaskResult) { task.close() }
        func taskDidResume(_ task: SessionTask) {
            let suspends = isContrary.withLock { isContrary in
                defer { isContrary = false }
                return isContrary
            }
            if suspends { task.suspend() }
        }
    }

    @Test("The operation of a task that is suspended while it is being resumed is paused, and goes on with the task")
    func suspendedWhileResumed() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse.ok("content").holding(gate, at: .beforeHead))
        let session = OperationURLSession(configuration: .ephemeral)
        let client = ContraryClient()
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let task = session.makeDataTask(request, for: OperationURLSession.Recipient(client: client))
        task.resume()
        _ = try await server.nextRequest()
        task.suspend()
        client.isContrary.withLock { $0 = true }
        task.resume()
        #expect(task.state == .suspended)
        #expect(session.operation(for: task)?.isPaused == true)
        task.resume()
        gate.open()
        try await eventually("the end") { task.state == .completed }
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200 && server.requests.count == 1)
    }

    // MARK: Ranges

    @Test("A response that a range completed is the one that it began with")
    func status() async throws {
        let server = try TestServer()
        let isFirst = Tally()
        server.respondToOthers { _ in
            let response = ScriptedResponse.ranged(Self.content, etag: "\"a\"")
            return isFirst.increment() == 1 ? response.ending(.stall, afterBodyBytes: 100_000) : response
        }
        let session = OperationURLSession(configuration: .ephemeral)
        let outcome = await withCheckedContinuation { continuation in
            let task = session.dataTask(with: server.url()) {
                continuation.resume(returning: TaskOutcome(data: $0, response: $1, error: $2))
            }
            task.resume()
            Task {
                try await eventually("content comes") { task.countOfBytesReceived == 100_000 }
                task.suspend()
                task.resume()
            }
        }
        #expect(outcome.status == 200)
        #expect(outcome.data == Self.content)
        #expect(server.requests.last?["Range"] == "bytes=100000-")
    }

    /// Of a suspension.
    private static func untilNetworkThreadKnows() async {
        await withCheckedContinuation { continuation in Runtime.current.onNetworkThread { continuation.resume() } }
    }

    @Test("So it is where another attempt was made for the range", arguments: [false, true])
    func statusAfterRetry(isDownload: Bool) async throws {
        let server = try TestServer()
        let isFirst = Tally()
        server.respondToOthers { _ in
            let response = ScriptedResponse.ranged(Self.content, etag: "\"a\"")
            return isFirst.increment() == 1 ? response.ending(.reset, afterBodyBytes: 100_000) : response
        }
        let manager = URLSessionManager(sessionConfiguration: .ephemeral).offMain()
        manager.retryPolicy = RetryPolicy(maximumAttempts: 2, backoff: .constant(0.01))
        manager.responseSerializer = HTTPResponseSerializer()
        var response: HTTPURLResponse?
        if isDownload {
            let target = try TemporaryDirectory()
            let request = URLRequest(url: server.url())
            let outcome = await manager.downloading(request, to: { _, _ in target.file("target") })
            response = outcome.response as? HTTPURLResponse
        } else {
            let outcome = await manager.loading(URLRequest(url: server.url()))
            #expect(outcome.object as? Data == Self.content)
            response = outcome.task?.response as? HTTPURLResponse
        }
        #expect(response?.statusCode == 200 && response?.expectedContentLength == Int64(Self.content.count))
        #expect(server.requests.last?["Range"] != nil && server.requests.count == 2)
    }

    private final class Tally: Sendable {
        private let count = Locked(0)

        func increment() -> Int {
            count.withLock {
                $0 += 1
                return $0
            }
        }
    }
}
