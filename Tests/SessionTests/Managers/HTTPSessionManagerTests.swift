// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

/// An API client as applications write them. Not private: Foundation archives classes by their names.
final class SessionAPIClient: HTTPSessionManager, @unchecked Sendable {
    static let shared = SessionAPIClient(baseURL: URL(string: "http://127.0.0.1/v1"))
    let made = Notes<String>()

    override init(baseURL: URL?, sessionConfiguration: URLSessionConfiguration?) {
        super.init(baseURL: baseURL, sessionConfiguration: sessionConfiguration)
        requestSerializer = JSONRequestSerializer()
        requestSerializer.timeoutInterval = 12
        responseSerializer.acceptableContentTypes = ["application/json", "text/plain"]
        completionQueue = DispatchQueue(label: "test.client")
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    override func dataTask(
        with request: URLRequest, uploadProgress: (@Sendable (Progress) -> Void)?,
        downloadProgress: (@Sendable (Progress) -> Void)?,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionDataTask {
        var request = request
        request.setValue("one", forHTTPHeaderField: "X-Request-ID")
        made.add(request.httpMethod ?? "")
        return super.dataTask(
            with: request, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
            completionHandler: completionHandler)
    }
}

@Suite("The HTTP session manager", .timeLimit(.minutes(1))) struct HTTPSessionManagerTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json(#"{"a":"b"}"#) }
    }

    private func manager(_ path: String = "/") -> HTTPSessionManager {
        HTTPSessionManager(baseURL: server.url(path)).offMain()
    }

    @Test("Headers of a call keep their spelling, in place of those that differ in case only")
    func spelling() throws {
        let client = manager()
        client.requestSerializer.setValue("serializer", forHTTPHeaderField: "field")
        for name in ["field", "FIELD"] {
            let task = try #require(client.get("x", headers: [name: "call"], success: nil, failure: nil))
            let fields = try #require(task.originalRequest?.allHTTPHeaderFields)
            #expect(fields.filter { $0.key.lowercased() == "field" } == [name: "call"])
        }
    }

    @Test("Every verb resumes a task with method, URL, parameters and headers, and goes through dataTask(with:)")
    func verbs() async throws {
        let client = SessionAPIClient(baseURL: server.url("/api"))
        let outcomes = [
            await client.outcome {
                client.get("x", parameters: ["q": 1], headers: ["X-H": "g"], success: $0, failure: $1)
            },
            await client.outcome { success, failure in
                client.head("x", success: { success($0, nil) }, failure: failure)
            },
            await client.outcome { client.post("x", parameters: ["k": 1], success: $0, failure: $1) },
            await client.outcome { client.put("x", parameters: ["k": 1], success: $0, failure: $1) },
            await client.outcome { client.patch("x", parameters: ["k": 1], success: $0, failure: $1) },
            await client.outcome { client.delete("x", success: $0, failure: $1) },
            await client.outcome {
                client.post(
                    "x", constructingBodyWith: { $0.appendPart(withForm: Data("v".utf8), name: "n") }, success: $0,
                    failure: $1)
            },
        ]
        #expect(outcomes.map(\.status) == Array(repeating: 200, count: 7))
        #expect(outcomes.filter { $0.error != nil }.isEmpty)
        #expect(outcomes[0].json == ["a": "b"] && outcomes[1].object == nil)
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "POST"]
        #expect(server.requests.map(\.method) == methods && client.made.all == methods.dropLast())
        try #require(server.requests.count == 7)
        #expect(server.requests.allSatisfy { $0.path == "/api/x" })
        #expect(server.requests.dropLast().allSatisfy { $0["X-Request-ID"] == "one" })
        #expect(server.requests[0]["X-H"] == "g" && server.requests[2].text == #"{"k":1}"#)
        #expect(server.requests[6]["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(outcomes[0].task?.originalRequest?.timeoutInterval == 12)
        #expect(outcomes[6].task is URLSessionUploadTask)
        #expect(SessionAPIClient.shared.baseURL?.absoluteString == "http://127.0.0.1/v1/")
    }

    @Test("A request that cannot be made calls failure without a task, on the completion queue, and returns nil")
    func unmade() async {
        let manager = HTTPSessionManager().offMain()
        let outcome = await manager.outcome { success, failure in
            let task = manager.get("relative", success: success, failure: failure)
            #expect(task == nil)
            return task
        }
        #expect(outcome.task == nil && (outcome.error as? RequestSerializationError)?.code == .badURL)
        let form = await manager.outcome {
            manager.post("relative", constructingBodyWith: { _ in }, success: $0, failure: $1)
        }
        #expect(form.task == nil && form.error is RequestSerializationError)
    }

    @Test("A bad status is an error with the content; the task itself has none")
    func badStatus() async throws {
        server.respond(to: "/bad", .json(#"{"message":"no"}"#, status: 409))
        let outcome = await manager().getting("bad")
        let error = try #require(outcome.error as? ResponseSerializationError)
        #expect(error.code == .badServerResponse && outcome.status == 409 && outcome.task?.error == nil)
        #expect(error.responseObject as? [String: String] == ["message": "no"])
    }

    /// Sees what verbs make, by the label of either spelling.
    private final class Overriding: HTTPSessionManager, @unchecked Sendable {
        let seen = Notes<String>()

        override func dataTask(
            withHTTPMethod method: String, URLString: String, parameters: Any?, headers: [String: String]?,
            uploadProgress: (@Sendable (Progress) -> Void)?, downloadProgress: (@Sendable (Progress) -> Void)?,
            success: (@Sendable (URLSessionDataTask, Any?) -> Void)?,
            failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)?
        ) -> URLSessionDataTask? {
            seen.add("URLString \(method)")
            return super.dataTask(
                withHTTPMethod: method, URLString: URLString, parameters: parameters, headers: headers,
                uploadProgress: uploadProgress, downloadProgress: downloadProgress, success: success, failure: failure)
        }

        override func dataTask(
            withHTTPMethod method: String, urlString URLString: String, parameters: Any?, headers: [String: String]?,
            uploadProgress: (@Sendable (Progress) -> Void)?, downloadProgress: (@Sendable (Progress) -> Void)?,
            success: (@Sendable (URLSessionDataTask, Any?) -> Void)?,
            failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)?
        ) -> URLSessionDataTask? {
            seen.add("urlString \(method)")
            return super.dataTask(
                withHTTPMethod: method, urlString: URLString, parameters: parameters, headers: headers,
                uploadProgress: uploadProgress, downloadProgress: downloadProgress, success: success, failure: failure)
        }
    }

    @Test("An override of the method that makes tasks sees every verb")
    func overriding() throws {
        let manager = Overriding(baseURL: server.url("/"))
        manager.completionQueue = DispatchQueue(label: "overriding")
        for task in [
            manager.get("x"), manager.head("x"), manager.post("x"), manager.put("x"), manager.patch("x"),
            manager.delete("x"),
        ] { task?.cancel() }
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
        #expect(manager.seen.all == methods.flatMap { ["URLString \($0)", "urlString \($0)"] })
    }

    @Test("The response serializer counts that was set when the task was made")
    func serializer() async throws {
        let manager = manager()
        let task = Notes<VerbOutcome>()
        let done = Gate()
        let made = manager.dataTask(
            withHTTPMethod: "GET", URLString: "x",
            success: {
                task.add(VerbOutcome(task: $0, object: $1, error: nil))
                done.open()
            }, failure: { _, _ in done.open() })
        manager.responseSerializer = HTTPResponseSerializer()
        #expect(server.requests.isEmpty)
        made?.resume()
        await done.wait()
        #expect(task.all.first?.json == ["a": "b"])
        #expect(await manager.getting("x").object as? Data == Data(#"{"a":"b"}"#.utf8))
    }

    @Test("A serializer that is only a URLResponseSerialization")
    func foreignSerializer() async {
        struct Length: URLResponseSerialization {
            func responseObject(for response: URLResponse?, data: Data?) throws -> Any? { data?.count }
        }
        let manager = manager()
        (manager as URLSessionManager).responseSerializer = Length()
        #expect(await manager.getting("x").object as? Int == 9)
        #expect((manager as URLSessionManager).responseSerializer is Length)
    }

    @Test("A manager that is let go of is gone at once; its tasks end, and call their handlers")
    func lifetime() async throws {
        let gate = Gate()
        server.respond(to: "/slow", ScriptedResponse.json(#"{"a":"b"}"#).holding(gate, at: .beforeHead))
        let invalidated = Gate()
        let outcomes = Notes<VerbOutcome>()
        let done = Gate()
        weak var weakManager: HTTPSessionManager?
        weak var weakSession: URLSession?
        do {
            let manager = manager()
            weakManager = manager
            weakSession = manager.session
            manager.setSessionDidBecomeInvalidBlock { _, error in
                if error == nil { invalidated.open() }
            }
            manager.get(
                "slow",
                success: {
                    outcomes.add(VerbOutcome(task: $0, object: $1, error: nil))
                    done.open()
                }, failure: { _, _ in done.open() })
            _ = try await server.nextRequest()
        }
        #expect(weakManager == nil)
        gate.open()
        await done.wait()
        #expect(outcomes.all.first?.json == ["a": "b"])
        await invalidated.wait()
        try await eventually("the session is gone") { weakSession == nil }
    }

    @Test("Lists of tasks never wait, not even on the manager's own queue")
    func lists() async throws {
        let gate = Gate()
        server.respond(to: "/slow", ScriptedResponse.json("{}").holding(gate, at: .beforeHead))
        let manager = manager()
        let counts = Notes<[Int]>()
        let listed = Gate()
        let task = manager.get("slow")
        let request = URLRequest(url: server.url("/slow"))
        manager.uploadTask(with: request, from: Data("x".utf8)).resume()
        manager.downloadTask(with: request).resume()
        let suspended = manager.dataTask(with: request)
        manager.operationQueue.addOperation {
            counts.add([
                manager.tasks.count, manager.dataTasks.count, manager.uploadTasks.count, manager.downloadTasks.count,
            ])
            listed.open()
        }
        await listed.wait()
        #expect(counts.all == [[3, 1, 1, 1]] && manager.dataTasks.first === task)
        #expect(suspended.state == .suspended)
        gate.open()
        try await eventually("no tasks") { manager.tasks.isEmpty }
    }

    @Test("Invalidation ends what runs and fails what is made later, with one call each; a reset begins anew")
    func invalidation() async throws {
        let gate = Gate()
        server.respond(to: "/slow", ScriptedResponse.json("{}").holding(gate, at: .beforeHead))
        defer { gate.open() }
        let manager = manager()
        async let running = manager.getting("slow")
        try await eventually("the request") { server.requests.count == 1 }
        manager.invalidateSessionCancelingTasks(true)
        #expect(await running.code == URLError.cancelled.rawValue)
        let late = await manager.getting("x")
        #expect(late.error is URLError && late.status == nil)
        manager.invalidateSessionCancelingTasks(true, resetSession: true)
        #expect(await manager.getting("x").json == ["a": "b"])
    }

    @Test("A session that nothing was asked of is over, too, and told of", arguments: [false, true])
    func invalidationOfTheUnused(resets: Bool) async throws {
        let manager = manager()
        let told = Notes<Bool>()
        manager.setSessionDidBecomeInvalidBlock { _, error in told.add(error == nil) }
        let session = resets ? nil : manager.session
        manager.invalidateSessionCancelingTasks(true, resetSession: resets)
        try await eventually("the block") { told.all == [true] }
        #expect((manager.session === session) == !resets)
    }

    @Test("Authorization and cookies of the serializer stay with the origin of the base URL")
    func origin() async throws {
        let other = try TestServer()
        other.respondToOthers { _ in .json("{}") }
        let manager = manager()
        manager.requestSerializer.setValue("Bearer t", forHTTPHeaderField: "Authorization")
        _ = await manager.getting("x")
        _ = await manager.getting(other.url("/x").absoluteString)
        #expect(server.requests.last?["Authorization"] == "Bearer t" && other.requests.last?["Authorization"] == nil)
        manager.sendsAuthorizationToOtherOrigins = true
        _ = await manager.getting(other.url("/x").absoluteString)
        #expect(other.requests.last?["Authorization"] == "Bearer t")
    }

    @Test("Tasks are operations: dependencies hold across both halves")
    func dependencies() async throws {
        let manager = manager()
        let order = Notes<String>()
        server.respondToOthers { request in
            order.add(request.path)
            return .json("{}")
        }
        let done = Gate()
        let made = manager.dataTask(
            withHTTPMethod: "GET", URLString: "second", success: { _, _ in done.open() },
            failure: { _, _ in done.open() })
        let task = try #require(made)
        let first = HTTPRequestOperation(request: URLRequest(url: server.url("/first")))
        try #require(manager.operation(for: task)).addDependency(first)
        task.resume()
        #expect(order.all.isEmpty)
        first.start()
        await done.wait()
        #expect(order.all == ["/first", "/second"])
        #expect(manager.operation(for: task)?.responseObject as? [String: String] == [:])
    }

    @Test("An operation whose task was let go of is not sent any more once the manager is invalid")
    func lateOperation() async throws {
        let manager = manager()
        server.respondToOthers { _ in .json("{}") }
        let first = HTTPRequestOperation(request: URLRequest(url: server.url("/first")))
        first.completionQueue = DispatchQueue(label: "test")
        let ends = Notes<Int?>()
        func makeOperation() throws -> HTTPRequestOperation {
            let task = manager.dataTask(with: URLRequest(url: server.url("/late"))) { _, _, error in
                ends.add((error as NSError?)?.code)
            }
            return try #require(manager.operation(for: task))
        }
        let operation = try makeOperation()
        operation.addDependency(first)
        let queue = RequestOperationQueue()
        queue.addOperation(operation)
        manager.invalidateSessionCancelingTasks(true)
        first.start()
        try await eventually("the end") { operation.isFinished }
        #expect((operation.error as? URLError)?.code == .cancelled)
        #expect(server.requests.map(\.path) == ["/first"])
    }

    @Test("Completion queue and group")
    func group() async {
        let manager = manager()
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "test.mine")
        queue.setSpecific(key: key, value: true)
        let group = DispatchGroup()
        manager.completionQueue = queue
        manager.completionGroup = group
        let done = Gate()
        let seen = Notes<Bool>()
        manager.get(
            "x",
            success: { _, _ in
                group.notify(queue: queue) { done.open() }
                seen.add(DispatchQueue.getSpecific(key: key) == true)
            })
        await done.wait()
        #expect(seen.all == [true])
    }

    @Test("Copies and archives")
    func copies() async throws {
        let client = HTTPSessionManager(baseURL: server.url("/api")).offMain()
        client.requestSerializer.setValue("v", forHTTPHeaderField: "X-A")
        client.responseSerializer.acceptableContentTypes = ["application/json"]
        let copy = try #require(client.copy() as? HTTPSessionManager)
        #expect(copy.baseURL == client.baseURL && copy.requestSerializer !== client.requestSerializer)
        #expect(copy.requestSerializer.value(forHTTPHeaderField: "X-A") == "v" && copy.session !== client.session)
        #expect(await copy.getting("x").json == ["a": "b"])
        let data = try NSKeyedArchiver.archivedData(withRootObject: client, requiringSecureCoding: true)
        let archived = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPSessionManager.self, from: data))
        #expect(archived.baseURL == client.baseURL && archived.responseSerializer is JSONResponseSerializer)
        #expect(archived.responseSerializer.acceptableContentTypes == ["application/json"])
        #expect(archived.requestSerializer.value(forHTTPHeaderField: "X-A") == "v")
    }

    @Test("Async: a subclass may call the handler twice")
    func awaitingTwice() async throws {
        final class Manager: HTTPSessionManager, @unchecked Sendable {
            override func dataTask(
                with request: URLRequest, uploadProgress: (@Sendable (Progress) -> Void)?,
                downloadProgress: (@Sendable (Progress) -> Void)?,
                completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
            ) -> URLSessionDataTask {
                super.dataTask(with: request, uploadProgress: uploadProgress, downloadProgress: downloadProgress) {
                    completionHandler?($0, $1, $2)
                    completionHandler?($0, $1, $2)
                }
            }
        }
        let manager = Manager(baseURL: nil, sessionConfiguration: .ephemeral)
        #expect(try await manager.data(for: URLRequest(url: server.url("/x"))).0 == Data(#"{"a":"b"}"#.utf8))
    }

    @Test("A task that is made while the session is replaced is the new session's")
    func makingWhileReplacing() async throws {
        let manager = manager()
        let isOver = Gate()
        Thread.detachNewThread {
            while !isOver.isOpen { manager.invalidateSessionCancelingTasks(false, resetSession: true) }
        }
        defer { isOver.open() }
        let tasks = (0..<2000).map { _ in manager.dataTask(with: URLRequest(url: server.url("/x"))) { _, _, _ in } }
        // One that is refused has no operation.
        #expect(tasks.allSatisfy { manager.operation(for: $0) != nil })
        for task in tasks { task.cancel() }
    }

    @Test("Async: content, decoded content, refusal, cancellation")
    func awaiting() async throws {
        let manager = manager()
        manager.completionQueue = DispatchQueue(label: "test.suspended")
        manager.completionQueue?.suspend()
        defer { manager.completionQueue?.resume() }
        let request = URLRequest(url: server.url("/x"))
        #expect(try await manager.data(for: request).0 == Data(#"{"a":"b"}"#.utf8))
        #expect(try await manager.decoded([String: String].self, from: request) == ["a": "b"])
        await #expect(throws: ResponseSerializationError.self) {
            try await manager.decoded([Int].self, from: request)
        }
        server.respond(to: "/bad", .json("{}", status: 500))
        await #expect(throws: ResponseSerializationError.self) {
            try await manager.data(for: URLRequest(url: server.url("/bad")))
        }
        let gate = Gate()
        server.respond(to: "/slow", ScriptedResponse.json("{}").holding(gate, at: .beforeHead))
        let slow = Task { try await manager.data(for: URLRequest(url: server.url("/slow"))) }
        try await eventually("the request") { server.requests.contains { $0.path == "/slow" } }
        slow.cancel()
        let error = await #expect(throws: URLError.self) { try await slow.value }
        #expect(error?.code == .cancelled)
        gate.open()
    }
}
