// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// An API client as applications write them. Not private: Foundation archives classes by their names.
final class TestAPIClient: HTTPRequestOperationManager, @unchecked Sendable {
    static let shared = TestAPIClient(baseURL: URL(string: "http://127.0.0.1/v1"))
    let made = Journal<String>()

    override init(baseURL: URL?) {
        super.init(baseURL: baseURL)
        requestSerializer = JSONRequestSerializer()
        requestSerializer.timeoutInterval = 12
        requestSerializer.setValue("client", forHTTPHeaderField: "X-Client")
        responseSerializer.acceptableContentTypes = ["application/json", "text/plain"]
        completionQueue = DispatchQueue(label: "test.client")
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    override func httpRequestOperation(
        with request: URLRequest, success: (@Sendable (HTTPRequestOperation, Any?) -> Void)? = nil,
        failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)? = nil
    ) -> HTTPRequestOperation {
        var request = request
        request.setValue("one", forHTTPHeaderField: "X-Request-ID")
        made.append(request.httpMethod ?? "")
        return super.httpRequestOperation(with: request, success: success, failure: failure)
    }

    override func makeCopy(baseURL: URL?) -> HTTPRequestOperationManager { TestAPIClient(baseURL: baseURL) }
}

/// Takes method references as blocks, as view controllers do.
private final class Screen: Sendable {
    let log = Journal<String>()
    let done = Gate()

    func loaded(_ operation: HTTPRequestOperation, _ object: Any?) {
        log.append("loaded \(object as? [String: String] ?? [:])")
        done.open()
    }

    func failed(_ operation: HTTPRequestOperation?, _ error: any Error) {
        log.append("failed \(operation?.response?.statusCode ?? 0) \(operation?.responseString ?? "")")
        done.open()
    }
}

@Suite("The manager", .timeLimit(.minutes(2))) struct ManagerTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json(#"{"a":"b"}"#) }
    }

    @Test("What a manager begins with")
    func defaults() {
        let manager = HTTPRequestOperationManager()
        #expect(type(of: manager.requestSerializer) == HTTPRequestSerializer.self)
        #expect(manager.responseSerializer is JSONResponseSerializer)
        #expect(manager.operationQueue is RequestOperationQueue)
        #expect(manager.shouldUseCredentialStorage && manager.credential == nil && manager.clientIdentity == nil)
        #expect(manager.securityPolicy.sslPinningMode == .none)
        #expect(manager.completionQueue == nil && manager.completionGroup == nil)
    }

    @Test("A subclass sets itself up in init(baseURL:), and every verb goes through its httpRequestOperation")
    func subclass() async throws {
        let client = TestAPIClient(baseURL: server.url("/api"))
        let outcomes = [
            await client.outcome { client.get("x", success: $0, failure: $1) },
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
        #expect(outcomes.allSatisfy { $0.error == nil })
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "POST"]
        #expect(client.made.all == methods)
        #expect(server.requests.map(\.method) == methods)
        try #require(server.requests.count == 7)
        for request in server.requests {
            #expect(request.path == "/api/x")
            #expect(request["X-Client"] == "client" && request["X-Request-ID"] == "one")
        }
        #expect(outcomes[0].operation?.request.timeoutInterval == 12)
        #expect(server.requests[2].text == #"{"k":1}"#)
        #expect(server.requests[6]["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(TestAPIClient.shared.baseURL?.absoluteString == "http://127.0.0.1/v1/")
    }

    @Test("Method references as blocks, and nil ones")
    func methodReferences() async {
        let manager = HTTPRequestOperationManager.offMain(server.url("/"))
        let good = Screen()
        manager.get("x", success: good.loaded, failure: good.failed)
        await good.done.wait()
        #expect(good.log.all == [#"loaded ["a": "b"]"#])
        server.respond(to: "/bad", ScriptedResponse(status: 500, body: .text("broken")))
        let bad = Screen()
        manager.post("bad", success: bad.loaded, failure: bad.failed)
        await bad.done.wait()
        #expect(bad.log.all == ["failed 500 broken"])
        let silent = manager.get("x", success: nil, failure: nil)
        await blocking { manager.operationQueue.waitUntilAllOperationsAreFinished() }
        #expect(silent?.isFinished == true && silent?.error == nil)
    }

    @Test("Headers of a call are set over the serializer's")
    func headers() async throws {
        let manager = HTTPRequestOperationManager.offMain(server.url("/"))
        manager.requestSerializer.setValue("serializer", forHTTPHeaderField: "X-Both")
        manager.requestSerializer.setValue("serializer", forHTTPHeaderField: "X-One")
        _ = await manager.outcome { manager.get("x", headers: ["X-Both": "call"], success: $0, failure: $1) }
        let request = try #require(server.requests.first)
        #expect(request.values(of: "X-Both") == ["call"] && request["X-One"] == "serializer")
        #expect(request["User-Agent"]?.isEmpty == false && request["Accept-Language"]?.isEmpty == false)
    }

    @Test("Headers of a call keep their spelling, in place of those that differ in case only")
    func spelling() throws {
        let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
        manager.requestSerializer.setValue("serializer", forHTTPHeaderField: "field")
        manager.requestSerializer.setValue("serializer", forHTTPHeaderField: "other")
        for (name, value) in ["field": "call", "FIELD": "call", "x-new": "serializer"] {
            let request = try manager.makeOperation(method: "GET", "x", headers: [name: "call"]).request
            let fields = try #require(request.allHTTPHeaderFields)
            #expect(fields[name] == "call" && fields["other"] == "serializer")
            #expect(fields.keys.filter { $0.lowercased() == name.lowercased() } == [name])
            #expect(request.value(forHTTPHeaderField: "Field") == value)
        }
    }

    @Test("An operation gets the manager's settings when it is made")
    func settings() throws {
        let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
        let credential = URLCredential(user: "u", password: "p", persistence: .none)
        let policy = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [])
        let queue = DispatchQueue(label: "test")
        let group = DispatchGroup()
        manager.credential = credential
        manager.shouldUseCredentialStorage = false
        manager.securityPolicy = policy
        manager.completionQueue = queue
        manager.completionGroup = group
        let serializer = manager.responseSerializer
        let operation = try manager.makeOperation(method: "GET", "x")
        manager.credential = nil
        manager.responseSerializer = HTTPResponseSerializer()
        #expect(operation.credential == credential && !operation.shouldUseCredentialStorage)
        #expect(operation.securityPolicy === policy && operation.responseSerializer === serializer)
        #expect(operation.completionQueue === queue && operation.completionGroup === group)
        #expect(operation.state == .ready && manager.operationQueue.operationCount == 0)
    }

    @Test("What a setter replaces may ask the manager when it goes")
    func replaced() async throws {
        final class Serializer: HTTPRequestSerializer, @unchecked Sendable {
            weak var manager: HTTPRequestOperationManager?
            var isGone: Gate?

            deinit {
                _ = manager?.completionQueue
                isGone?.open()
            }
        }
        let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
        let (isGone, isReplaced) = (Gate(), Gate())
        do {
            let serializer = Serializer()
            serializer.manager = manager
            serializer.isGone = isGone
            manager.requestSerializer = serializer
        }
        // A thread of its own, which would wait for ever.
        Thread.detachNewThread {
            manager.requestSerializer = HTTPRequestSerializer()
            isReplaced.open()
        }
        try await eventually("the setter returns") { isGone.isOpen && isReplaced.isOpen }
    }

    @Test("The completion group covers successes, failures, and requests that could not be made")
    func group() async {
        server.respond(to: "/bad", .status(500))
        let calls = Journal<String>()
        for path in ["x", "bad", "http://[bad"] {
            let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
            let queue = DispatchQueue(label: "test")
            let group = DispatchGroup()
            manager.completionQueue = queue
            manager.completionGroup = group
            queue.suspend()
            manager.get(
                path, success: { _, _ in calls.append("success") }, failure: { _, _ in calls.append("failure") })
            await blocking { manager.operationQueue.waitUntilAllOperationsAreFinished() }
            #expect(group.wait(timeout: .now()) == .timedOut)
            queue.resume()
            await withCheckedContinuation { continuation in
                group.notify(queue: .global()) { continuation.resume() }
            }
        }
        #expect(calls.all.sorted() == ["failure", "failure", "success"])
    }

    @Test("Requests in the queue are cancelled by method and path, all, or by a predicate; each fails with -999")
    func cancelling() async throws {
        let gate = Gate()
        server.respondToOthers { _ in ScriptedResponse.json("{}").holding(gate, at: .beforeHead) }
        let manager = HTTPRequestOperationManager.offMain(server.url("/v1"))
        let ended = Journal<String>()
        let failure: HTTPRequestOperationManager.Failure = { operation, error in
            let request = operation?.request
            ended.append("\(request?.httpMethod ?? "") \(request?.url?.path ?? "") \((error as NSError).code)")
        }
        manager.get("a", parameters: ["q": 1], failure: failure)
        manager.post("a", failure: failure)
        manager.get("b", failure: failure)
        manager.get("c", failure: failure)
        manager.cancelAllHTTPOperations(method: "get", path: "a")
        try await eventually("one end") { ended.count == 1 }
        #expect(ended.all == ["GET /v1/a -999"])
        manager.cancelAllOperations { $0.request.url?.lastPathComponent == "b" }
        try await eventually("two ends") { ended.count == 2 }
        #expect(ended.all.last == "GET /v1/b -999")
        manager.cancelAllOperations()
        try await eventually("four ends") { ended.count == 4 }
        #expect(ended.all.suffix(2).sorted() == ["GET /v1/c -999", "POST /v1/a -999"])
        gate.open()
    }

    @Test(
        "Without a base URL requests are cancelled by their path, too",
        arguments: ["/v1/a%20b?page=1", "/v1/a%20b#top"])
    func cancellingWithoutBase(path: String) async throws {
        let gate = Gate()
        defer { gate.open() }
        server.respondToOthers { _ in ScriptedResponse.json("{}").holding(gate, at: .beforeHead) }
        let manager = HTTPRequestOperationManager.offMain(nil)
        let operation = manager.get(server.url("/v1/a%20b?page=2").absoluteString)
        _ = try await server.nextRequest()
        manager.cancelAllHTTPOperations(method: nil, path: "/v1/a")
        #expect(operation?.isCancelled == false)
        manager.cancelAllHTTPOperations(method: nil, path: path)
        #expect(operation?.isCancelled == true)
    }

    @Test("The manager works in a plain OperationQueue, too")
    func plainQueue() async {
        let manager = HTTPRequestOperationManager.offMain(server.url("/"))
        manager.operationQueue = OperationQueue()
        manager.operationQueue.maxConcurrentOperationCount = 1
        async let first = manager.getting("x")
        async let second = manager.getting("y")
        #expect(await [first.json["a"] as? String, second.json["a"] as? String] == ["b", "b"])
    }

    // MARK: Copies and archives

    @Test("A copy is of the same class and carries everything but the operations and the queue itself")
    func copying() throws {
        let client = TestAPIClient(baseURL: server.url("/api"))
        let group = DispatchGroup()
        client.credential = URLCredential(user: "u", password: "p", persistence: .none)
        client.securityPolicy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [Data("pin".utf8)])
        client.shouldUseCredentialStorage = false
        client.completionGroup = group
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 3
        queue.maxConcurrentOperationsPerHost = 2
        queue.qualityOfService = .utility
        client.operationQueue = queue
        let copy = try #require(client.copy() as? TestAPIClient)
        #expect(copy !== client && copy.baseURL == client.baseURL)
        #expect(copy.credential === client.credential && !copy.shouldUseCredentialStorage)
        #expect(copy.securityPolicy !== client.securityPolicy)
        #expect(copy.securityPolicy.sslPinningMode == .publicKey)
        #expect(copy.securityPolicy.pinnedCertificates == [Data("pin".utf8)])
        #expect(copy.completionQueue === client.completionQueue && copy.completionGroup === group)
        #expect(copy.requestSerializer is JSONRequestSerializer && copy.requestSerializer !== client.requestSerializer)
        #expect(copy.requestSerializer.value(forHTTPHeaderField: "X-Client") == "client")
        #expect(copy.responseSerializer !== client.responseSerializer)
        #expect(copy.responseSerializer.acceptableContentTypes == ["application/json", "text/plain"])
        let copiedQueue = try #require(copy.operationQueue as? RequestOperationQueue)
        #expect(copiedQueue !== queue)
        #expect(copiedQueue.maxConcurrentOperationCount == 3 && copiedQueue.maxConcurrentOperationsPerHost == 2)
        #expect(copiedQueue.qualityOfService == .utility)
        copy.requestSerializer.setValue("other", forHTTPHeaderField: "X-Client")
        #expect(client.requestSerializer.value(forHTTPHeaderField: "X-Client") == "client")
    }

    @Test("An archive keeps base URL, serializers, policy and flag, and no credential")
    func archiving() throws {
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://example.com/v1?x=1"))
        manager.requestSerializer = JSONRequestSerializer()
        manager.requestSerializer.setValue("kept", forHTTPHeaderField: "X-Kept")
        manager.responseSerializer = HTTPResponseSerializer()
        manager.responseSerializer.acceptableStatusCodes = IndexSet(integer: 418)
        manager.securityPolicy = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [Data("pin".utf8)])
        manager.shouldUseCredentialStorage = false
        manager.credential = URLCredential(user: "u", password: "hunter2", persistence: .none)
        let data = try NSKeyedArchiver.archivedData(withRootObject: manager, requiringSecureCoding: true)
        #expect(data.range(of: Data("hunter2".utf8)) == nil)
        let restored = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPRequestOperationManager.self, from: data))
        #expect(restored.baseURL == manager.baseURL)
        #expect(restored.requestSerializer is JSONRequestSerializer)
        #expect(restored.requestSerializer.value(forHTTPHeaderField: "X-Kept") == "kept")
        #expect(!(restored.responseSerializer is JSONResponseSerializer))
        #expect(restored.responseSerializer.acceptableStatusCodes == IndexSet(integer: 418))
        #expect(restored.securityPolicy.pinnedCertificates == [Data("pin".utf8)])
        #expect(!restored.shouldUseCredentialStorage && restored.credential == nil)
        #expect(restored.operationQueue.operationCount == 0)
    }

    @Test("A subclass comes back from an archive, and works")
    func subclassArchive() async throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: TestAPIClient(baseURL: server.url("/api")), requiringSecureCoding: true)
        let restored = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: TestAPIClient.self, from: data))
        restored.completionQueue = DispatchQueue(label: "test")
        let outcome = await restored.getting("x")
        #expect(outcome.json["a"] as? String == "b")
        #expect(server.requests.first?["X-Client"] == "client")
    }

    @Test("A damaged archive is nil or an error, not the end of the program")
    func damagedArchive() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: HTTPRequestOperationManager(baseURL: server.url("/")), requiringSecureCoding: true)
        let empty = try NSKeyedArchiver.archivedData(withRootObject: NSString("x"), requiringSecureCoding: true)
        for broken in [data.prefix(data.count / 2), Data(), Data("junk".utf8), empty] {
            let restored = try? NSKeyedUnarchiver.unarchivedObject(
                ofClass: HTTPRequestOperationManager.self, from: broken)
            #expect(restored == nil)
        }
    }
}
