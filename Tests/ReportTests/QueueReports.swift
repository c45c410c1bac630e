// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

/// Public reports about operations and their queues, on this library's queue and with its operations.
@Suite("Reports: operation queues", .timeLimit(.minutes(1)))
struct QueueReports {
    private let queue = RequestOperationQueue()
    private let delivery = DispatchQueue(label: "reports.delivery")

    /// What was done, in order.
    private final class Record: Sendable {
        private let lines = Locked<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// An operation that is not meant to reach anybody.
    private func unsent() throws -> HTTPRequestOperation {
        request(try #require(URL(string: "http://127.0.0.1:9/")))
    }

    private func request(_ url: URL) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: URLRequest(url: url))
        operation.responseSerializer = HTTPResponseSerializer()
        operation.completionQueue = delivery
        return operation
    }

    // MARK: Dependencies

    @Test("What depends on a cancelled operation runs (swift-corelibs-foundation#1538)", arguments: [true, false])
    func cancelledUpstream(isRequest: Bool) throws {
        let record = Record()
        queue.isSuspended = true
        let upstream: Operation = isRequest ? try unsent() : BlockOperation { record.add("upstream") }
        let dependent = BlockOperation { record.add("dependent") }
        dependent.addDependency(upstream)
        queue.addOperations([upstream, dependent], waitUntilFinished: false)
        upstream.cancel()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(record.all == ["dependent"] && upstream.isFinished)
    }

    @Test("With one slot, a dependent may be added before what it waits for (swift-corelibs-foundation#1538)")
    func dependentFirst() {
        let record = Record()
        queue.maxConcurrentOperationCount = 1
        let upstream = BlockOperation { record.add("upstream") }
        let dependent = BlockOperation { record.add("dependent") }
        dependent.addDependency(upstream)
        queue.addOperation(dependent)
        queue.addOperation(upstream)
        queue.waitUntilAllOperationsAreFinished()
        #expect(record.all == ["upstream", "dependent"])
    }

    @Test("A dependency between operations that wait in the queue already counts (swift-corelibs-foundation#2488)")
    func laterDependency() {
        let record = Record()
        queue.isSuspended = true
        let (first, second, third) = (
            BlockOperation { record.add("first") }, BlockOperation { record.add("second") },
            BlockOperation { record.add("third") }
        )
        queue.addOperations([first, second, third], waitUntilFinished: false)
        first.addDependency(second)
        second.addDependency(third)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(record.all == ["third", "second", "first"])
    }

    @Test("Cancelling an operation leaves what it depends on alone (Zinc-ObjC#58)")
    func cancelledDependent() throws {
        queue.isSuspended = true
        let (upstream, dependent) = (try unsent(), try unsent())
        dependent.addDependency(upstream)
        queue.addOperations([upstream, dependent], waitUntilFinished: false)
        dependent.cancel()
        dependent.waitUntilFinished()
        #expect(!upstream.isCancelled && !upstream.isFinished)
        #expect(queue.queuedOperations == [upstream])
        upstream.cancel()
        queue.waitUntilAllOperationsAreFinished()
    }

    @Test("An upstream that ends while its dependent is added loses none (ProcedureKit#755)")
    func endingUpstream() {
        let count = Locked(0)
        for _ in 0..<500 {
            let upstream = BlockOperation {}
            let dependent = BlockOperation { count.withLock { $0 += 1 } }
            queue.addOperation(upstream)
            dependent.addDependency(upstream)
            queue.addOperation(dependent)
        }
        queue.waitUntilAllOperationsAreFinished()
        #expect(count.withLock { $0 } == 500)
    }

    @Test("A long chain of dependencies ends and is let go of (PSOperations#41)")
    func longChain() async throws {
        weak var first: HTTPRequestOperation?
        func run() throws {
            queue.isSuspended = true
            let operations = try (0..<20_000).map { _ in try unsent() }
            first = operations.first
            for (upstream, dependent) in zip(operations, operations.dropFirst()) { dependent.addDependency(upstream) }
            queue.addOperations(operations, waitUntilFinished: false)
            queue.cancelAllOperations()
            queue.waitUntilAllOperationsAreFinished()
            #expect(operations.allSatisfy { $0.isFinished })
        }
        try run()
        try await eventually("the first one is gone") { first == nil }
    }

    // MARK: Cancelling

    @Test("All are cancelled from inside one that runs: it ends, no other begins (swift-corelibs-foundation#1229)")
    func cancelledFromInside() {
        let record = Record()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        queue.addOperation { [queue] in
            queue.cancelAllOperations()
            record.add("first")
        }
        for _ in 0..<3 { queue.addOperation { record.add("other") } }
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        queue.addOperation { record.add("later") }
        queue.waitUntilAllOperationsAreFinished()
        #expect(record.all == ["first", "later"])
    }

    @Test("After all were cancelled before they ran, the queue goes on (NetworkingInOperations-Example#2)")
    func cancelledBeforeStart() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("content") }
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let cancelled = (0..<5).map { _ in request(server.url()) }
        queue.addOperations(cancelled, waitUntilFinished: false)
        queue.cancelAllOperations()
        try await eventually("all are over") { queue.operationCount == 0 }
        #expect(cancelled.allSatisfy { $0.isFinished && ($0.error as? URLError)?.code == .cancelled })
        queue.isSuspended = false
        let next = request(server.url())
        queue.addOperation(next)
        _ = try await next.value()
        #expect(next.responseString == "content" && server.requests.count == 1)
    }

    @Test("Cancelled right behind its enqueueing, an operation ends once, with an error (AFNetworking#1662)")
    func cancelledAtOnce() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("content") }
        let (ends, others) = (Locked(0), Locked(0))
        let operations = (0..<200).map { _ in request(server.url()) }
        for operation in operations {
            operation.setCompletionBlockWithSuccess(
                { _, _ in others.withLock { $0 += 1 } },
                failure: { _, error in
                    let isCancelled = (error as? URLError)?.code == .cancelled
                    (isCancelled ? ends : others).withLock { $0 += 1 }
                })
            queue.addOperation(operation)
            operation.cancel()
        }
        try await eventually("all were told") { ends.withLock { $0 } + others.withLock { $0 } >= 200 }
        delivery.sync {}
        // Where the test waited between the two for long, one may have succeeded.
        #expect(ends.withLock { $0 } + others.withLock { $0 } == 200 && ends.withLock { $0 } > 100)
        #expect(queue.operationCount == 0)
    }

    @Test("The failure block is told of a cancellation, the success block never after it (AFNetworking#693, #491)")
    func blocksOfCancelled() async throws {
        let (server, gate, record, told) = (try TestServer(), Gate(), Record(), Gate())
        server.respondToOthers { _ in .stalled(until: gate, then: .ok("content")) }
        let operation = request(server.url())
        operation.setCompletionBlockWithSuccess(
            { _, _ in
                record.add("success")
                told.open()
            },
            failure: { operation, error in
                record.add("failure \((error as? URLError)?.code == .cancelled) \(operation.isCancelled)")
                told.open()
            })
        queue.addOperation(operation)
        _ = try await server.nextRequest()
        operation.cancel()
        gate.open()
        await told.wait()
        try await eventually("the queue is empty") { queue.operationCount == 0 }
        delivery.sync {}
        #expect(record.all == ["failure true true"])
    }

    @Test("Cancelling one that runs ends what it does, too (PSOperations#83)")
    func cancelledWhileRunning() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .stalled() }
        let operation = request(server.url())
        queue.addOperation(operation)
        try await eventually("the request is there") { server.requests.count == 1 }
        operation.cancel()
        try await eventually("nothing is left of it") {
            operation.isFinished && !operation.isExecuting && server.openConnectionCount == 0
        }
        #expect(queue.operationCount == 0)
    }

    @Test("A manager's queue shows its requests until they are cancelled (AFNetworking#3631)")
    func operationCount() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .stalled() }
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.completionQueue = delivery
        for _ in 0..<3 { manager.enqueue(manager.httpRequestOperation(with: URLRequest(url: server.url()))) }
        #expect(manager.operationQueue.operationCount == 3)
        manager.operationQueue.cancelAllOperations()
        try await eventually("none is left") { manager.operationQueue.operationCount == 0 }
    }

    // MARK: Suspension and slots

    @Test("Queues over one dispatch queue are suspended each for itself (swift-corelibs-foundation#1665)")
    func sharedUnderlyingQueue() {
        let (underlying, record, other) = (DispatchQueue(label: "shared"), Record(), RequestOperationQueue())
        queue.underlyingQueue = underlying
        other.underlyingQueue = underlying
        queue.isSuspended = true
        queue.addOperation { record.add("suspended") }
        other.addOperation { record.add("other") }
        other.waitUntilAllOperationsAreFinished()
        underlying.sync { record.add("itself") }
        #expect(record.all == ["other", "itself"])
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(record.all.last == "suspended")
    }

    @Test("What is added to a suspended queue waits, and keeps its order (WinObjC#611)")
    func suspended() {
        let record = Record()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        for index in 0..<5 { queue.addOperation { record.add("\(index)") } }
        #expect(record.all.isEmpty && queue.operationCount == 5)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(record.all == ["0", "1", "2", "3", "4"])
    }

    @Test("Many that wait for a slot hold up no other queue (swift-corelibs-foundation#1858)")
    func manyWaiting() {
        let (gate, count) = (Gate(), Locked(0))
        queue.maxConcurrentOperationCount = 2
        for _ in 0..<1000 {
            queue.addOperation {
                _ = gate.wait(timeout: 30)
                count.withLock { $0 += 1 }
            }
        }
        let (other, reached) = (RequestOperationQueue(), Gate())
        other.addOperation { reached.open() }
        #expect(reached.wait(timeout: 20 * Patience.factor))
        gate.open()
        queue.waitUntilAllOperationsAreFinished()
        #expect(count.withLock { $0 } == 1000)
    }

    @Test("A barrier waits for those before it, and holds up those behind it (swift-corelibs-foundation#2331)")
    func barrier() {
        let record = Record()
        let gate = Gate()
        for _ in 0..<4 {
            queue.addOperation {
                _ = gate.wait(timeout: 30)
                record.add("before")
            }
        }
        queue.addBarrierBlock { record.add("barrier") }
        for _ in 0..<4 { queue.addOperation { record.add("behind") } }
        #expect(record.all.isEmpty)
        gate.open()
        queue.waitUntilAllOperationsAreFinished()
        #expect(
            record.all
                == Array(repeating: "before", count: 4) + ["barrier"] + Array(repeating: "behind", count: 4))
    }

    // MARK: Batches

    @Test("A batch of nothing completes, and the next one is reached (AFNetworking#1517)")
    func emptyBatches() async throws {
        let (queue, record, told) = (self.queue, Record(), Gate())
        let first = URLConnectionOperation.batchOfRequestOperations(
            [], progressBlock: { _, _ in record.add("progress") },
            completionBlock: { operations in
                record.add("first \(operations.count)")
                let second = URLConnectionOperation.batchOfRequestOperations(
                    [], progressBlock: nil,
                    completionBlock: { operations in
                        record.add("second \(operations.count)")
                        told.open()
                    })
                queue.addOperations(second, waitUntilFinished: false)
            })
        queue.addOperations(first, waitUntilFinished: false)
        await told.wait()
        #expect(record.all == ["first 0", "second 0"])
        #expect(await OperationBatch([]).value().isEmpty)
    }

    @Test("A batch completes behind the blocks of all its members (AFNetworking#288)")
    func batchCompletion() async throws {
        let (server, record, told, gate) = (try TestServer(), Record(), Gate(), Gate())
        server.respondToOthers { _ in .ok("content") }
        let members = (0..<4).map { index in
            let operation = request(server.url("/\(index)"))
            // Each on a queue of its own, and the first one is slow.
            operation.completionQueue = DispatchQueue(label: "reports.\(index)")
            operation.setCompletionBlockWithSuccess(
                { _, _ in
                    if index == 0 { _ = gate.wait(timeout: 30) }
                    record.add("member")
                }, failure: { _, _ in record.add("member failed") })
            return operation
        }
        let batch = OperationBatch(members)
        batch.completionQueue = delivery
        batch.setCompletionBlock { _ in
            record.add("batch")
            told.open()
        }
        batch.enqueue(on: queue)
        try await eventually("the others are over") { record.all.count == 3 }
        #expect(batch.progress.completedUnitCount < 4)
        gate.open()
        await told.wait()
        #expect(record.all == ["member", "member", "member", "member", "batch"])
    }

    @Test("With one slot a batch ends also where its last operation comes first (Operative#4)")
    func batchInOneSlot() async throws {
        let (server, told) = (try TestServer(), Gate())
        server.respondToOthers { _ in .ok("content") }
        queue.maxConcurrentOperationCount = 1
        let members = (0..<3).map { request(server.url("/\($0)")) }
        let all = URLConnectionOperation.batchOfRequestOperations(
            members, progressBlock: nil, completionBlock: { _ in told.open() })
        queue.addOperations(all.reversed(), waitUntilFinished: false)
        await told.wait()
        #expect(members.allSatisfy { $0.isFinished && $0.error == nil })
        try await eventually("the queue is empty") { queue.operationCount == 0 }
    }

    // MARK: Where blocks are called

    @Test("Who waits for an operation on the queue of its blocks comes back (SDWebImage#564)")
    func waitingOnCompletionQueue() throws {
        let (server, record) = (try TestServer(), Record())
        server.respondToOthers { _ in .ok("content") }
        let operation = request(server.url())
        operation.setCompletionBlockWithSuccess({ _, _ in record.add("block") }, failure: nil)
        delivery.sync {
            queue.addOperation(operation)
            operation.waitUntilFinished()
            record.add("waited")
        }
        delivery.sync {}
        #expect(operation.isFinished && record.all.first == "waited")
    }

    @Test("In its own block an operation is over, and its queue empties (AFHTTPSessionOperation#11)")
    func overInItsBlock() async throws {
        let (server, record, told) = (try TestServer(), Record(), Gate())
        server.respondToOthers { _ in .ok("content") }
        let operation = request(server.url())
        operation.setCompletionBlockWithSuccess(
            { operation, _ in
                record.add("\(operation.isFinished) \(operation.isExecuting)")
                told.open()
            }, failure: nil)
        queue.addOperation(operation)
        await told.wait()
        #expect(record.all == ["true false"])
        try await eventually("the queue is empty") { queue.operationCount == 0 }
    }
}
