// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("The life of one request", .timeLimit(.minutes(2))) struct RequestLifeTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
    }

    @Test("ready, executing, finished, once each, and a second start has no effect")
    func states() async throws {
        let gate = Gate()
        server.respond(to: "/held", ScriptedResponse.ok("x").holding(gate, at: .beforeHead))
        let operation = HTTPRequestOperation(server.url("/held"))
        let states = Journal<[OperationState]>()
        let observation = operation.observeState { states.append([$0, $1]) }
        #expect(operation.state == .ready && operation.isReady && !operation.isExecuting && !operation.isFinished)
        #expect(operation.isAsynchronous && operation.metrics == nil && operation.responseData == nil)
        let outcome = await operation.outcome {
            $0.start()
            $0.start()
            #expect($0.isExecuting && !$0.isReady && !$0.isFinished)
            gate.open()
        }
        operation.start()
        #expect(outcome.error == nil && outcome.text == "x")
        // The completion is on its way before observers hear of the end.
        #expect(becomesTrue { states.all.count == 2 })
        #expect(states.all == [[.ready, .executing], [.executing, .finished]])
        #expect(operation.isFinished && !operation.isExecuting && !operation.isCancelled)
        #expect(server.requests.count == 1)
        observation.invalidate()
    }

    @Test("An operation that was started by hand and is held by nobody completes, and then goes away")
    func unretained() async throws {
        weak var dropped: HTTPRequestOperation?
        let done = Gate()
        do {
            let operation = HTTPRequestOperation(server.url("/"))
            operation.completionQueue = DispatchQueue(label: "test")
            operation.setCompletionBlockWithSuccess({ _, _ in done.open() }, failure: nil)
            dropped = operation
            operation.start()
        }
        await done.wait()
        try await eventually("the operation to be released", timeout: 10) { dropped == nil }
    }

    @Test("A plain OperationQueue runs operations with its limit and its dependencies, and knows when all are finished")
    func foundationQueue() async {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        server.respond(to: "/slow", ScriptedResponse.ok("x").waiting(0.02, at: .beforeHead))
        let finished = Journal<Int>()
        let first = HTTPRequestOperation(server.url("/first"))
        let last = HTTPRequestOperation(server.url("/last"))
        let between = (0..<10).map { _ in HTTPRequestOperation(server.url("/slow")) }
        for operation in [first, last] + between { operation.completionQueue = DispatchQueue(label: "test") }
        for operation in between {
            operation.addDependency(first)
            last.addDependency(operation)
            operation.completionBlock = { finished.append(1) }
        }
        let operations = [last] + between + [first]
        await blocking { [operations] in
            queue.addOperations(operations, waitUntilFinished: false)
            queue.waitUntilAllOperationsAreFinished()
        }
        #expect(operations.allSatisfy { $0.isFinished && $0.error == nil })
        #expect(server.requests.first?.path == "/first" && server.requests.last?.path == "/last")
        #expect(server.maximumSimultaneousConnections <= 2)
        #expect(queue.operationCount == 0)
        #expect(server.requests.count == 12)
    }

    @Test("A block operation in a plain queue waits for a request, and a request for a block operation")
    func mixedDependencies() async {
        let order = Journal<String>()
        let queue = OperationQueue()
        let request = HTTPRequestOperation(server.url("/"))
        request.completionQueue = DispatchQueue(label: "test")
        let before = BlockOperation { order.append("before:\(request.isFinished)") }
        let after = BlockOperation { order.append("after:\(request.isFinished)") }
        request.addDependency(before)
        after.addDependency(request)
        await blocking { queue.addOperations([after, request, before], waitUntilFinished: true) }
        #expect(order.all == ["before:false", "after:true"])
    }

    @Test("Completion runs on the main queue when no queue was set")
    func mainQueue() async {
        // Not the main thread: a program that runs dispatchMain() has its main queue served by others.
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        let operation = HTTPRequestOperation(server.url("/"))
        let isMain: Bool = await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume(returning: DispatchQueue.getSpecific(key: key) ?? false) }
            operation.start()
        }
        #expect(isMain)
    }

    @Test("Completion runs on the completion queue and within the completion group")
    func queueAndGroup() async {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "test")
        queue.setSpecific(key: key, value: "mine")
        let group = DispatchGroup()
        let began = Gate()
        let gate = Gate()
        let calls = Journal<String>()
        let operation = HTTPRequestOperation(server.url("/"))
        operation.setCompletionBlockWithSuccess(
            { _, _ in
                began.open()
                _ = gate.wait(timeout: 30)
                calls.append("success on \(DispatchQueue.getSpecific(key: key) ?? "another")")
            }, failure: nil)
        // Both are read when the operation ends.
        operation.completionQueue = queue
        operation.completionGroup = group
        operation.start()
        await began.wait()
        #expect(group.wait(timeout: .now()) == .timedOut)
        gate.open()
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
        #expect(calls.all == ["success on mine"])
    }

    @Test("The block that was set last is the only one that is called", arguments: ["block", "result", "nil"])
    func replacedBlocks(last: String) async {
        let calls = Journal<String>()
        let operation = HTTPRequestOperation(server.url("/"))
        let queue = DispatchQueue(label: "test")
        operation.completionQueue = queue
        let setters: [String: () -> Void] = [
            "block": { operation.completionBlock = { calls.append("block") } },
            "result": {
                operation.setCompletionBlockWithSuccess(
                    { _, _ in calls.append("result") }, failure: { _, _ in calls.append("failure") })
            },
            "nil": { operation.completionBlock = nil },
        ]
        for name in ["block", "result", "nil"] where name != last { setters[name]?() }
        setters[last]?()
        await blocking {
            OperationQueue().addOperations([operation], waitUntilFinished: true)
            queue.sync {}
        }
        #expect(calls.all == (last == "nil" ? [] : [last]))
        // The blocks are cleared: what they captured is released.
        #expect(operation.completionBlock == nil)
    }

    @Test("Both blocks may be nil, for a success and for a failure")
    func nilBlocks() async {
        for path in ["/", "/404"] {
            if path == "/404" { server.respond(to: path, .status(404)) }
            let operation = HTTPRequestOperation(server.url(path))
            let queue = DispatchQueue(label: "test")
            operation.completionQueue = queue
            operation.setCompletionBlockWithSuccess(nil, failure: nil)
            await blocking {
                OperationQueue().addOperations([operation], waitUntilFinished: true)
                queue.sync {}
            }
            #expect(operation.isFinished && (operation.error == nil) == (path == "/"))
        }
    }

    @Test("One notification at the start and one at the end, in this order, with the operation as object")
    func notifications() async {
        let queue = DispatchQueue(label: "test")
        for _ in 0..<20 {
            let posted = Journal<Notification.Name>()
            let operation = HTTPRequestOperation(server.url("/"))
            operation.completionQueue = queue
            let tokens = [Notification.Name.networkingOperationDidStart, .networkingOperationDidFinish].map { name in
                NotificationCenter.default.addObserver(forName: name, object: operation, queue: nil) {
                    posted.append($0.name)
                }
            }
            _ = await operation.outcome()
            await blocking { queue.sync {} }
            for token in tokens { NotificationCenter.default.removeObserver(token) }
            #expect(posted.all == [.networkingOperationDidStart, .networkingOperationDidFinish])
        }
    }

    @Test("Success gets the operation and the response object, which is there before the operation is finished")
    func success() async {
        let operation = HTTPRequestOperation(server.url("/"))
        operation.responseSerializer = HTTPResponseSerializer()
        let outcome = await operation.outcome()
        #expect(outcome.operation === operation)
        #expect(outcome.object as? Data == Data("hello".utf8))
        #expect(operation.responseObject as? Data == Data("hello".utf8))
        #expect(operation.error == nil)
        #expect(operation.response?.statusCode == 200)
        #expect(operation.response?.url == server.url("/"))
        #expect(operation.metrics?.httpVersion == "1.1")
        #expect(operation.metrics?.bytesReceived == 5)
        #expect(operation.metrics?.remotePort == server.port)
    }

    @Test("A bad status is a failure with AFNetworking's domain, code and keys, and keeps the parsed content")
    func badStatus() async throws {
        server.respond(to: "/bad", .json(#"{"message":"no"}"#, status: 422))
        let operation = HTTPRequestOperation(server.url("/bad"))
        operation.responseSerializer = JSONResponseSerializer()
        let outcome = await operation.outcome()
        let error = try #require(outcome.error as NSError?)
        #expect(error.domain == "com.alamofire.error.serialization.response")
        #expect(error.code == -1011)
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == server.url("/bad"))
        let response = error.userInfo["com.alamofire.serialization.response.error.response"] as? HTTPURLResponse
        #expect(response?.statusCode == 422)
        let data = error.userInfo["com.alamofire.serialization.response.error.data"] as? Data
        #expect(data == Data(#"{"message":"no"}"#.utf8))
        #expect(error.localizedDescription.contains("422"))
        #expect((outcome.error as? ResponseSerializationError)?.code == .badServerResponse)
        #expect(outcome.json["message"] as? String == "no")
        #expect(operation.error != nil, "the error is there without a look at responseObject")
    }

    @Test("A response that does not parse is a failure whose underlying error is the parser's")
    func unparsable() async throws {
        server.respond(to: "/broken", .json("{"))
        let operation = HTTPRequestOperation(server.url("/broken"))
        operation.responseSerializer = JSONResponseSerializer()
        let error = try #require(await operation.outcome().error as? ResponseSerializationError)
        #expect(error.code == .cannotParseResponse)
        #expect((error.underlyingError as NSError?)?.code == 3840)
    }

    @Test("copy() is a fresh operation with the same settings, which can be sent again")
    func retry() async throws {
        let operation = HTTPRequestOperation(server.url("/again"), method: "POST", body: Data("x".utf8))
        operation.credential = URLCredential(user: "u", password: "p", persistence: .none)
        #expect(await operation.outcome().error == nil)
        let copy = try #require(operation.copy() as? HTTPRequestOperation)
        #expect(copy.state == .ready && copy.response == nil && copy.credential?.user == "u")
        #expect(await copy.outcome().text == "hello")
        #expect(server.requests.map(\.text) == ["x", "x"])
    }

    @Test("value() and decoded() give the result, and throw the error")
    func asyncFaces() async throws {
        struct Value: Decodable { let a: Int }
        server.respond(to: "/json", .json(#"{"a":1}"#))
        #expect(try await HTTPRequestOperation(server.url("/json")).decoded(Value.self).a == 1)
        #expect(try await HTTPRequestOperation(server.url("/")).value() as? Data == Data("hello".utf8))
        await #expect(throws: ResponseSerializationError.self) {
            try await HTTPRequestOperation(server.url("/")).decoded(Value.self)
        }
        server.respond(to: "/404", .status(404))
        await #expect(throws: ResponseSerializationError.self) {
            _ = try await HTTPRequestOperation(server.url("/404")).value()
        }
    }
}
