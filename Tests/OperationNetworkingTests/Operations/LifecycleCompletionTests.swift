// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(2))) struct LifecycleCompletionTests {
    @Test(
        "The response is parsed before isFinished is true: a dependant finds it, in both kinds of queue",
        arguments: [false, true])
    func parsedFirst(isOurs: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .json("{\"a\": 1}") }
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        let seen = Recorder<Int?>()
        for round in 1...20 {
            let upstream = HTTPRequestOperation.make(server.url())
            upstream.responseSerializer = JSONResponseSerializer()
            let atFinish = upstream.observe(\.isFinished) { operation, _ in
                let object = (operation as? HTTPRequestOperation)?.responseObject as? [String: Int]
                seen.append(object?["a"])
            }
            let dependent = BlockOperation {
                seen.append((upstream.responseObject as? [String: Int])?["a"])
            }
            dependent.addDependency(upstream)
            queue.enqueue([upstream, dependent])
            // Foundation's queue hears of an end before observers do.
            try await eventually { dependent.isFinished && seen.count == 2 * round }
            withExtendedLifetime(atFinish) {}
        }
        #expect(seen.values == Array(repeating: 1, count: 40))
    }

    @Test("The serializer runs once, and not on the network thread")
    func parsedOnce() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let serializer = CountingSerializer()
        let operation = HTTPRequestOperation.make(server.url())
        operation.responseSerializer = serializer
        await operation.run()
        _ = (operation.responseObject, operation.error, operation.responseObject)
        #expect(serializer.threads.values == [false])
        operation.responseSerializer = JSONResponseSerializer()
        #expect(operation.responseObject == nil)
        #expect(operation.error is ResponseSerializationError)
    }

    @Test(
        "Whether completion blocks come before the end is decided once: one that changes it is not followed by another")
    func decidedOnce() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let operation = HTTPRequestOperation.make(server.url())
        operation.dependentsWaitForCompletionBlocks = true
        let log = Recorder<String>()
        let token = NotificationCenter.default.addObserver(
            forName: .networkingOperationDidFinish, object: operation, queue: nil
        ) { _ in log.append("told") }
        defer { NotificationCenter.default.removeObserver(token) }
        operation.setCompletionBlockWithSuccess(
            { operation, _ in
                operation.dependentsWaitForCompletionBlocks = false
                log.append("success")
            }, failure: nil)
        await operation.run()
        // What else might have been dispatched to the main queue's place.
        let queue = try #require(operation.completionQueue)
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(log.values == ["told", "success"])
    }

    @Test(
        "A success block that comes before the end has the object, also where a decoder has the content",
        arguments: [false, true])
    func decodedBeforeEnd(isJSON: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .json(isJSON ? #"{"a": 1}"# : "nonsense") }
        let operation = HTTPRequestOperation.make(server.url())
        operation.responseSerializer = JSONResponseSerializer()
        operation.dependentsWaitForCompletionBlocks = true
        let log = Recorder<String>()
        operation.setCompletionBlockWithSuccess(
            { _, object in log.append("\((object as? [String: Int])?["a"] ?? 0)") },
            failure: { _, error in
                log.append(
                    (error as? ResponseSerializationError)?.code == .cannotParseResponse ? "no JSON" : "\(error)")
            })
        let value = try? await operation.decoded([String: Int].self)
        #expect(value == (isJSON ? ["a": 1] : nil))
        await operation.completed()
        #expect(log.values == [isJSON ? "1" : "no JSON"])
    }

    @Test(
        "Dependants wait for completion blocks only where that is asked for", arguments: [false, true], [false, true])
    func dependentsWait(waits: Bool, isOurs: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        let (upstream, dependent) = (HTTPRequestOperation.make(server.url()), HTTPRequestOperation.make(server.url()))
        upstream.dependentsWaitForCompletionBlocks = waits
        let (entered, gate) = (Gate(), Gate())
        let log = Recorder<String>()
        upstream.completionBlock = {
            entered.open()
            _ = gate.wait(timeout: 10)
            log.append("block returns")
        }
        dependent.addDependency(upstream)
        let token = dependent.observe(\.isExecuting, options: .new) { _, change in
            if change.newValue == true { log.append("dependent starts") }
        }
        queue.enqueue([upstream, dependent])
        await entered.wait()
        if waits {
            #expect(!upstream.isFinished && !dependent.isExecuting)
        } else {
            // The thread that reports that the dependent is ready reports its start, too, maybe after its end.
            try await eventually("its start") { log.count == 1 }
            await dependent.completed()
        }
        gate.open()
        await upstream.completed()
        await dependent.completed()
        try await eventually("both") { log.count == 2 }
        #expect(log.values == (waits ? ["block returns", "dependent starts"] : ["dependent starts", "block returns"]))
        withExtendedLifetime(token) {}
    }

    @Test(
        "Observers are told of the end before the completion block runs, in both kinds of queue",
        arguments: [false, true])
    func observersFirst(isOurs: Bool) async {
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        let log = Recorder<String>()
        let operation = HTTPRequestOperation.make(completionQueue: .global())
        operation.completionBlock = { log.append("completion") }
        let token = operation.observe(\.isFinished, options: .prior) { _, change in
            usleep(20_000)
            log.append(change.isPrior ? "prior" : "observer")
        }
        queue.enqueue([operation])
        await operation.completed()
        #expect(log.values == ["prior", "observer", "completion"])
        withExtendedLifetime(token) {}
    }

    @Test("With concurrency 1 the callbacks of 200 operations come in the queue's order", arguments: [false, true])
    func order(isOurs: Bool) async throws {
        let server = try TestServer()
        let random = Locked(SeededRandom(seed: 5))
        server.respondToOthers { request in
            let delay = random.withLock { Double.random(in: 0...0.003, using: &$0) }
            return .json("{\"path\": \"\(request.path)\"}").waiting(delay, at: .beforeHead)
        }
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let delivery = DispatchQueue(label: "order")
        let log = Recorder<Int>()
        let operations = (0..<200).map { index in
            let operation = HTTPRequestOperation.make(server.url("/\(index)"), completionQueue: delivery)
            operation.responseSerializer = JSONResponseSerializer()
            operation.setCompletionBlockWithSuccess { _, _ in
                log.append(index)
            } failure: { _, _ in
                log.append(-1)
            }
            return operation
        }
        queue.enqueue(operations)
        for operation in operations { await operation.completed() }
        #expect(log.values == Array(0..<200))
    }

    @Test("Completion block and group: read when the operation ends, cleared after the call")
    func group() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let operation = HTTPRequestOperation.make(server.url())
        let calls = Tally()
        operation.completionBlock = { calls.increment() }
        #expect(operation.completionBlock != nil)
        let group = DispatchGroup()
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "late")
        queue.setSpecific(key: key, value: true)
        operation.completionGroup = group
        operation.completionQueue = queue
        let isOnQueue = Recorder<Bool>()
        operation.completionBlock = {
            calls.increment()
            isOnQueue.append(DispatchQueue.getSpecific(key: key) == true)
        }
        operation.start()
        try await eventually { operation.isFinished }
        await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
        #expect(calls.value == 1 && isOnQueue.values == [true])
        #expect(operation.completionBlock == nil)
    }

    @Test("A group that nobody else holds, and that is taken away while the blocks wait, is left when they have run")
    func droppedGroup() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let queue = DispatchQueue(label: "waiting")
        let left = Recorder<String>()
        let operations = (0..<20).map { _ in HTTPRequestOperation.make(server.url(), completionQueue: queue) }
        queue.suspend()
        do {
            let group = DispatchGroup()
            for operation in operations {
                operation.completionGroup = group
                operation.completionBlock = { left.append("block") }
                operation.start()
            }
            // Then they are in the group.
            for operation in operations { await operation.finished() }
            group.notify(queue: queue) { left.append("group") }
        }
        for operation in operations { operation.completionGroup = nil }
        queue.resume()
        try await eventually { left.count == 21 }
        #expect(left.last == "group" && left.values.filter { $0 == "block" }.count == 20)
        // One that goes before the operation ends, and never had anybody in it.
        let operation = HTTPRequestOperation.make(server.url())
        operation.completionGroup = DispatchGroup()
        operation.completionGroup = nil
        await operation.run()
        #expect(operation.error == nil)
    }

    @Test("Success and failure blocks get the operation, and its object or error; nil blocks are allowed")
    func successAndFailure() async throws {
        let server = try TestServer()
        server.respond(to: "/ok", .ok("x"))
        let log = Recorder<String>()
        for path in ["/ok", "/missing"] {
            let operation = HTTPRequestOperation.make(server.url(path))
            operation.setCompletionBlockWithSuccess { operation, object in
                log.append("\(operation.request.url?.path ?? "") \((object as? Data)?.count ?? -1)")
            } failure: { operation, error in
                log.append(
                    "\(operation.request.url?.path ?? "") \(operation.response?.statusCode ?? 0) \((error as NSError).code)"
                )
            }
            await operation.run()
            let silent = HTTPRequestOperation.make(server.url(path))
            silent.setCompletionBlockWithSuccess(nil, failure: nil)
            await silent.run()
        }
        #expect(log.values == ["/ok 1", "/missing 404 -1011"])
    }

    @Test("10 000 operations whose blocks hold them are released, cancelled and failed ones and real ones")
    func leaks() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let delivery = DispatchQueue(label: "leaks")
        let mark = CountedOperation.mark
        let calls = Tally()
        let queue = RequestOperationQueue()
        let (failing, cancelled, real) = (5000, 4700, 300)
        for index in 0..<(failing + cancelled + real) {
            let isReal = index >= failing + cancelled
            let operation = CountedOperation(request: URLRequest(url: isReal ? server.url() : unsupportedURL))
            operation.completionQueue = delivery
            if index % 2 == 0 {
                operation.completionBlock = {
                    calls.increment()
                    withExtendedLifetime(operation) {}
                }
            } else {
                operation.setCompletionBlockWithSuccess { _, _ in
                    calls.increment()
                    withExtendedLifetime(operation) {}
                } failure: { _, _ in
                    calls.increment()
                    withExtendedLifetime(operation) {}
                }
            }
            if index >= failing, !isReal { operation.cancel() }
            queue.addOperation(operation)
        }
        try await eventually("all callbacks, \(calls.value)", timeout: 60) { calls.value == 10_000 }
        try await eventually("all released") { CountedOperation.alive(since: mark) == 0 }
    }

    @Test("Waiting for an operation returns when it has finished, with its result in place")
    func waitUntilFinished() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x").waiting(0.02, at: .beforeHead) }
        let operation = HTTPRequestOperation.make(server.url())
        operation.start()
        let text = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                operation.waitUntilFinished()
                continuation.resume(returning: operation.responseString)
            }
        }
        #expect(text == "x")
    }
}

/// Notes whether it is called on the network thread.
final class CountingSerializer: HTTPResponseSerializer, @unchecked Sendable {
    let threads = Recorder<Bool>()

    override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        threads.append(TransportEngine.shared.isCurrentThread)
        return "parsed"
    }
}
