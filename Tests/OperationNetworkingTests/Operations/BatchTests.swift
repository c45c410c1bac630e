// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(1))) struct BatchTests {
    /// A server with a good, a bad and a slow page.
    private static func server() throws -> TestServer {
        let server = try TestServer()
        server.respondToOthers { .ok($0.path) }
        server.respond(to: "/bad", .status(500))
        server.respond(to: "/slow", .stalled())
        return server
    }

    private struct Log {
        let progress = Recorder<[Int]>()
        let members = Tally()
        /// How many members' blocks had returned when the batch's completion came.
        let membersAtEnd = Recorder<Int>()
        let results = Recorder<[URLConnectionOperation]>()

        init(_ batch: OperationBatch) {
            batch.completionQueue = DispatchQueue(label: "batch", attributes: .concurrent)
            batch.setProgressBlock { [progress] in progress.append([$0, $1]) }
            batch.setCompletionBlock { [membersAtEnd, members, results] operations in
                membersAtEnd.append(members.value)
                results.append(operations)
            }
            for member in batch.operations {
                member.completionBlock = { [members] in
                    usleep(500)
                    members.increment()
                }
            }
        }
    }

    @Test(
        "A mix of success, failure and cancellation: once, last, in insertion order, whatever the queues",
        arguments: [false, true], [false, true])
    func mix(isOurs: Bool, isConcurrent: Bool) async throws {
        let server = try Self.server()
        let shared = DispatchQueue(label: "members", attributes: .concurrent)
        let operations = (0..<40).map { index in
            let operation = HTTPRequestOperation.make(server.url(index % 4 == 1 ? "/bad" : "/\(index)"))
            if isConcurrent { operation.completionQueue = shared }
            if index % 4 == 2 { operation.cancel() }
            return operation
        }
        let batch = OperationBatch(operations, name: "mix")
        let log = Log(batch)
        batch.enqueue(on: isOurs ? RequestOperationQueue() : OperationQueue())
        batch.enqueue(on: OperationQueue())
        let result = await batch.value()
        #expect(result == operations)
        #expect(log.results.values == [operations])
        #expect(log.membersAtEnd.values == [40])
        #expect(log.progress.values == (1...40).map { [$0, 40] })
        #expect(batch.progress.completedUnitCount == 40 && batch.progress.isFinished)
        #expect(operations.filter { $0.error == nil }.count == 20)
        #expect(operations.filter(\.isCancelledError).count == 10)
        #expect(server.requests.count == 30)
    }

    @Test("A batch completes after its members' progress and informational blocks, too")
    func blocksBefore() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            .script([
                .send(Data("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx".utf8))
            ])
        }
        for _ in 0..<20 {
            let operation = HTTPRequestOperation(server.url())
            operation.completionQueue = DispatchQueue(label: "member")
            let log = Recorder<String>()
            operation.setInformationalResponseBlock { _, _ in log.append("hints") }
            operation.setDownloadProgressBlock { _, _, _ in log.append("progress") }
            let batch = OperationBatch([operation])
            batch.completionQueue = DispatchQueue(label: "batch")
            batch.enqueue(on: RequestOperationQueue())
            _ = await batch.value()
            #expect(log.values == ["hints", "progress"])
        }
    }

    @Test("Of members without blocks a batch needs no queue to be run", arguments: [false, true])
    func idleQueue(waits: Bool) async throws {
        let server = try Self.server()
        let idle = DispatchQueue(label: "idle")
        idle.suspend()
        defer { idle.resume() }
        let operations = (0..<5).map { index in
            let operation = HTTPRequestOperation(server.url("/\(index)"))
            operation.completionQueue = idle
            operation.dependentsWaitForCompletionBlocks = waits
            return operation
        }
        let batch = OperationBatch(operations)
        let done = Gate()
        batch.completionQueue = DispatchQueue(label: "batch")
        let ends = Recorder<Bool>()
        batch.setCompletionBlock { members in
            ends.append(members.allSatisfy { $0.isFinished })
            done.open()
        }
        batch.enqueue(on: RequestOperationQueue())
        await done.wait()
        #expect(ends.values == [true])
    }

    @Test("A member's completion block that is set after the batch was enqueued still comes first")
    func lateBlocks() async throws {
        let server = try Self.server()
        let operations = (0..<10).map { HTTPRequestOperation.make(server.url("/\($0)")) }
        let batch = OperationBatch(operations)
        batch.completionQueue = DispatchQueue(label: "batch")
        let log = Recorder<String>()
        batch.setCompletionBlock { _ in log.append("batch") }
        let queue = RequestOperationQueue()
        queue.isSuspended = true
        batch.enqueue(on: queue)
        for operation in operations {
            operation.setCompletionBlockWithSuccess({ _, _ in log.append("member") }, failure: nil)
        }
        queue.isSuspended = false
        _ = await batch.value()
        #expect(log.values == Array(repeating: "member", count: 10) + ["batch"])
    }

    @Test("A batch counts its members' bytes, and knows the sum once it knows every length")
    func bytes() async throws {
        let server = try TestServer()
        server.respond(to: "/a", ScriptedResponse(body: .pattern(count: 100_000)))
        server.respond(to: "/b", ScriptedResponse(body: .pattern(count: 50_000)))
        server.respond(to: "/c", .status(500))
        let operations = ["/a", "/b", "/c"].map { HTTPRequestOperation.make(server.url($0)) }
        let upload = HTTPRequestOperation(server.url("/b"), method: "POST", body: Data(count: 3000))
        upload.completionQueue = DispatchQueue(label: "upload")
        let batch = OperationBatch(operations + [upload])
        batch.completionQueue = DispatchQueue(label: "batch")
        let log = Recorder<OperationBatch.Bytes?>()
        batch.setBytesBlock { log.append($0) }
        batch.setCompletionBlock { _ in log.append(nil) }
        batch.enqueue(on: RequestOperationQueue())
        _ = await batch.value()
        let counts = log.values.compactMap { $0 }
        #expect(counts.map(\.received) == counts.map(\.received).sorted())
        #expect(log.values.last == .some(nil), "nothing comes after the completion")
        let all = OperationBatch.Bytes(received: 200_000, expectedToReceive: 200_000, sent: 3000)
        #expect(counts.last == all && batch.bytes == all)
    }

    @Test("An empty batch completes when it is enqueued, without progress")
    func empty() async {
        let batch = OperationBatch([])
        let log = Log(batch)
        #expect(log.results.count == 0)
        batch.enqueue(on: OperationQueue())
        #expect(await batch.value().isEmpty)
        #expect(log.results.values == [[]] && log.progress.count == 0)
        let nested = await OperationBatch([], batches: [OperationBatch([])]).valueOnQueue()
        #expect(nested.isEmpty)
    }

    @Test("A nested batch is enqueued with, and completes before, the one around it")
    func nested() async throws {
        let server = try Self.server()
        let inner = OperationBatch((0..<5).map { HTTPRequestOperation.make(server.url("/inner\($0)")) })
        let outer = OperationBatch(
            (0..<5).map { HTTPRequestOperation.make(server.url("/outer\($0)")) }, batches: [inner])
        let log = Recorder<String>()
        for (name, batch) in [("inner", inner), ("outer", outer)] {
            batch.completionQueue = DispatchQueue(label: name)
            batch.setCompletionBlock { log.append("\(name) \($0.count)") }
        }
        outer.enqueue(on: RequestOperationQueue())
        let result = await outer.value()
        #expect(log.values == ["inner 5", "outer 10"])
        #expect(
            result.map { $0.request.url?.path ?? "" }
                == (0..<5).map { "/outer\($0)" } + (0..<5).map { "/inner\($0)" })
    }

    @Test("A nested batch without a queue of its own uses that of the batch around it, or of the manager")
    func inheritedQueue() async throws {
        let server = try Self.server()
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "outer")
        queue.setSpecific(key: key, value: true)
        let manager = HTTPRequestOperationManager()
        manager.completionQueue = queue
        let innermost = OperationBatch([HTTPRequestOperation.make(server.url("/innermost"))])
        let inner = OperationBatch([HTTPRequestOperation.make(server.url("/inner"))], batches: [innermost])
        let outer = OperationBatch([], batches: [inner])
        let log = Recorder<Bool>()
        for batch in [innermost, inner, outer] {
            batch.setProgressBlock { _, _ in log.append(DispatchQueue.getSpecific(key: key) == true) }
            batch.setCompletionBlock { _ in log.append(DispatchQueue.getSpecific(key: key) == true) }
        }
        manager.enqueue(outer)
        #expect(await outer.value().count == 2)
        #expect(log.values.count == 8 && log.values.allSatisfy { $0 })
    }

    @Test("A nested batch that was enqueued before is waited for all the same")
    func nestedEarlier() async throws {
        let server = try Self.server()
        let inner = OperationBatch([HTTPRequestOperation.make(server.url("/inner"))])
        inner.completionQueue = DispatchQueue(label: "inner")
        inner.enqueue(on: RequestOperationQueue())
        let outer = OperationBatch([HTTPRequestOperation.make(server.url("/outer"))], batches: [inner])
        outer.completionQueue = DispatchQueue(label: "outer")
        outer.enqueue(on: RequestOperationQueue())
        #expect(await outer.value().count == 2)
    }

    @Test("A member that finished before, or is named twice, is counted once", arguments: [false, true])
    func finishedMember(isOurs: Bool) async throws {
        let server = try Self.server()
        let (done, fresh) = (
            HTTPRequestOperation.make(server.url("/done")), HTTPRequestOperation.make(server.url("/new"))
        )
        await done.run()
        let batch = OperationBatch([done, fresh, done])
        let log = Log(batch)
        batch.enqueue(on: isOurs ? RequestOperationQueue() : OperationQueue())
        #expect(await batch.value() == [done, fresh])
        #expect(log.progress.values == [[1, 2], [2, 2]] && log.results.count == 1)
    }

    @Test(
        "Cancelled before it is enqueued, or after: every member ends with −999, the completion comes once",
        arguments: [false, true], [false, true])
    func cancel(isBefore: Bool, isOurs: Bool) async throws {
        let server = try Self.server()
        let operations = (0..<30).map { _ in HTTPRequestOperation.make(server.url("/slow")) }
        for (upstream, operation) in zip(operations, operations.dropFirst()).prefix(10) {
            operation.addDependency(upstream as Operation)
        }
        let batch = OperationBatch(operations)
        let log = Log(batch)
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        queue.maxConcurrentOperationCount = 4
        if isBefore {
            batch.cancel()
            batch.enqueue(on: queue)
        } else {
            batch.enqueue(on: queue)
            _ = try await server.nextRequest()
            batch.progress.cancel()
        }
        let result = await batch.value()
        #expect(result.allSatisfy { ($0.error as? URLError)?.code == .cancelled })
        #expect(log.results.count == 1 && log.membersAtEnd.values == [30])
        #expect(log.progress.values == (1...30).map { [$0, 30] })
        #expect(server.requests.count <= (isBefore ? 0 : 4))
    }

    @Test("Paused and resumed as one", arguments: [false, true])
    func pause(isOurs: Bool) async throws {
        let server = try TestServer()
        let index = Tally()
        let content = Data.random(10_000)
        server.respondToOthers { _ in
            let response = ScriptedResponse.ranged(content, etag: "\"a\"")
            return index.increment() <= 3 ? response.ending(.stall, afterBodyBytes: 5000) : response
        }
        let operations = (0..<10).map { _ in HTTPRequestOperation.make(server.url()) }
        let batch = OperationBatch(operations)
        let log = Log(batch)
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        queue.maxConcurrentOperationCount = 3
        batch.enqueue(on: queue)
        try await eventually { operations.prefix(3).allSatisfy { $0.response != nil } }
        batch.pause()
        #expect(operations.allSatisfy { $0.isPaused })
        try await eventually { server.openConnectionCount == 0 }
        #expect(server.requests.count == 3)
        batch.resume()
        _ = await batch.value()
        #expect(operations.allSatisfy { $0.responseData == content })
        #expect(log.results.count == 1)
    }

    @Test("value() enqueues a batch that was not; cancelling its task cancels the members")
    func task() async throws {
        let server = try Self.server()
        let batch = OperationBatch((0..<5).map { HTTPRequestOperation.make(server.url("/\($0)")) })
        let result = await batch.valueOnQueue()
        #expect(result.allSatisfy { $0.error == nil })

        let endless = OperationBatch((0..<5).map { _ in HTTPRequestOperation.make(server.url("/slow")) })
        endless.completionQueue = DispatchQueue(label: "batch")
        let task = Task { await endless.value() }
        try await eventually { endless.operations.contains { $0.isExecuting } }
        task.cancel()
        let cancelled = await task.value
        #expect(cancelled.allSatisfy { ($0.error as? URLError)?.code == .cancelled })
    }

    @Test("Nobody but the members holds a batch, and it is released at the end")
    func lifetime() async throws {
        let server = try Self.server()
        weak var weakBatch: OperationBatch?
        let done = Gate()
        let operations = (0..<3).map { HTTPRequestOperation.make(server.url("/\($0)")) }
        do {
            let batch = OperationBatch(operations)
            weakBatch = batch
            batch.completionQueue = DispatchQueue(label: "batch")
            batch.setCompletionBlock { [batch] _ in
                withExtendedLifetime(batch) {}
                done.open()
            }
            batch.enqueue(on: RequestOperationQueue())
        }
        await done.wait()
        try await eventually { weakBatch == nil }
    }

    // MARK: batchOfRequestOperations

    @Test(
        "AFNetworking's class method: progress after each member's own blocks, completion last",
        arguments: [false, true])
    func classMethod(isOurs: Bool) async throws {
        let server = try Self.server()
        let operations = (0..<12).map { HTTPRequestOperation.make(server.url($0 % 3 == 1 ? "/bad" : "/\($0)")) }
        let log = Recorder<String>()
        for operation in operations {
            operation.setCompletionBlockWithSuccess(
                { _, _ in log.append("member") }, failure: { _, _ in log.append("member") })
        }
        let done = Gate()
        let groups = operations.map { _ in DispatchGroup() }
        for (operation, group) in zip(operations, groups) { operation.completionGroup = group }
        let all = URLConnectionOperation.batchOfRequestOperations(operations) { count, total in
            log.append("\(count) of \(total)")
        } completionBlock: { result in
            log.append("done \(result == operations)")
            done.open()
        }
        #expect(all.count == 13 && Array(all.dropLast()) == operations)
        #expect(all.last?.dependencies.count == 12)
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        queue.maxConcurrentOperationCount = 3
        queue.enqueue(all)
        await done.wait()
        let values = log.values
        #expect(values.last == "done true" && values.count == 25)
        #expect(values.filter { $0.contains(" of ") } == (1...12).map { "\($0) of 12" })
        for count in 1...12 {
            let place = try #require(values.firstIndex(of: "\(count) of 12"))
            #expect(values[..<place].filter { $0 == "member" }.count >= count)
        }
        for (operation, group) in zip(operations, groups) { #expect(operation.completionGroup === group) }
    }

    @Test(
        "AFNetworking's class method with no members completes once the added operation ran", arguments: [false, true])
    func classMethodEmpty(isOurs: Bool) async {
        let done = Gate()
        let all = URLConnectionOperation.batchOfRequestOperations([]) { _, _ in
            Issue.record("progress without members")
        } completionBlock: { _ in
            done.open()
        }
        #expect(all.count == 1 && !done.isOpen)
        (isOurs ? RequestOperationQueue() : OperationQueue()).enqueue(all)
        await done.wait()
    }

    @Test("AFNetworking's class method: the added operation, started by two threads at once, runs once")
    func classMethodLastTwice() {
        let runs = Tally()
        let operations = (0..<5000).map { _ in BatchCompletionOperation { runs.increment() } }
        // Who comes later has less to do, and so catches up with the other.
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            for operation in operations { operation.start() }
        }
        #expect(runs.value == operations.count && operations.allSatisfy(\.isFinished))
    }

    @Test("AFNetworking's class method, everything cancelled: the completion comes once", arguments: [false, true])
    func classMethodCancelled(isOurs: Bool) async throws {
        let server = try Self.server()
        let operations = (0..<5).map { _ in HTTPRequestOperation.make(server.url("/slow")) }
        let done = Gate()
        let calls = Tally()
        let all = URLConnectionOperation.batchOfRequestOperations(operations, progressBlock: nil) { _ in
            calls.increment()
            done.open()
        }
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        queue.enqueue(all)
        _ = try await server.nextRequest()
        queue.cancelAllOperations()
        await done.wait()
        #expect(calls.value == 1 && operations.allSatisfy { $0.isCancelledError })
        try await eventually { all.allSatisfy(\.isFinished) }
    }
}

extension OperationBatch {
    /// `value()` without the main queue.
    func valueOnQueue() async -> [URLConnectionOperation] {
        completionQueue = DispatchQueue(label: "batch")
        return await value()
    }
}
