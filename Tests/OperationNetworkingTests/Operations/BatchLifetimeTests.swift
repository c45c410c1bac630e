// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Who holds a batch and its members", .serialized, .timeLimit(.minutes(1))) struct BatchLifetimeTests {
    /// Members that can be counted.
    private static func members(_ count: Int) -> [CountedOperation] {
        (0..<count).map { _ in
            let operation = CountedOperation(request: URLRequest(url: unsupportedURL))
            operation.completionQueue = DispatchQueue(label: "member")
            return operation
        }
    }

    private static func requireRelease(since mark: Int) async throws {
        try await eventually("the members' release, \(CountedOperation.alive(since: mark)) are left") {
            CountedOperation.alive(since: mark) == 0
        }
    }

    /// An object that a batch's blocks hold, and that turns to the batch at its end.
    private final class Screen: Sendable {
        private let batch: OperationBatch
        init(_ batch: OperationBatch) { self.batch = batch }
        deinit {
            batch.setProgressBlock(nil)
            batch.setBytesBlock(nil)
            batch.setCompletionBlock(nil)
        }
    }

    @Test("What goes with a batch's block may turn to the batch")
    func turningBack() async {
        let batch = OperationBatch(Self.members(1))
        for screen in [Screen(batch), Screen(batch)] {
            batch.setProgressBlock { _, _ in withExtendedLifetime(screen) {} }
            batch.setBytesBlock { _ in withExtendedLifetime(screen) {} }
            batch.setCompletionBlock { _ in withExtendedLifetime(screen) {} }
        }
        batch.setProgressBlock(nil)
        batch.setBytesBlock(nil)
        batch.setCompletionBlock(nil)
        // And at its end.
        batch.setProgressBlock { [screen = Screen(batch)] _, _ in withExtendedLifetime(screen) {} }
        batch.completionQueue = DispatchQueue(label: "batch")
        batch.enqueue(on: RequestOperationQueue())
        _ = await batch.value()
    }

    enum Dropped: CaseIterable, Sendable {
        case unused, nested, classMethod, classMethodSomeCancelled
    }

    @Test("What nobody runs is released as soon as nobody keeps it", arguments: Dropped.allCases)
    func dropped(kind: Dropped) async throws {
        let mark = CountedOperation.mark
        do {
            let members = Self.members(5)
            for (upstream, operation) in zip(members, members.dropFirst()) { operation.addDependency(upstream) }
            switch kind {
            case .unused:
                OperationBatch(members).setCompletionBlock { _ in }
            case .nested:
                let outer = OperationBatch(Self.members(2), batches: [OperationBatch(members)])
                outer.setProgressBlock { _, _ in }
            case .classMethod, .classMethodSomeCancelled:
                if kind == .classMethodSomeCancelled { members[1].cancel() }
                _ = URLConnectionOperation.batchOfRequestOperations(members) { _, _ in
                    Issue.record("progress of what never ran")
                } completionBlock: { _ in
                    Issue.record("the end of what never ran")
                }
            }
        }
        try await Self.requireRelease(since: mark)
    }

    @Test(
        "A batch whose members run completes once, with its operations in order, when only the queue is kept",
        arguments: [false, true], [false, true])
    func queueOnly(isOurs: Bool, isClassMethod: Bool) async throws {
        let mark = CountedOperation.mark
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        let results = Recorder<[String]>()
        var progress: Progress?
        do {
            let members = Self.members(6)
            for (index, member) in members.enumerated() { member.userInfo = ["name": "\(index)"] }
            // The last is first to run.
            for (operation, upstream) in zip(members, members.dropFirst()) { operation.addDependency(upstream) }
            let note: @Sendable ([URLConnectionOperation]) -> Void = { operations in
                results.append(operations.map { $0.userInfo["name"] as? String ?? "" })
            }
            if isClassMethod {
                let all = URLConnectionOperation.batchOfRequestOperations(
                    members + [members[2]], progressBlock: nil, completionBlock: note)
                // The one that is named twice goes into a queue once.
                queue.enqueue(Array(all[..<6]) + Array(all[7...]))
            } else {
                let batch = OperationBatch(members)
                progress = batch.progress
                batch.completionQueue = DispatchQueue(label: "batch")
                batch.setCompletionBlock(note)
                batch.enqueue(on: queue)
            }
        }
        try await eventually("the completion") { results.count > 0 }
        try await Self.requireRelease(since: mark)
        #expect(results.values == [["0", "1", "2", "3", "4", "5"] + (isClassMethod ? ["2"] : [])])
        #expect(progress?.isFinished != false)
    }

    @Test("Started by hand, with or without the added operation, a batch completes once", arguments: [false, true])
    func byHand(startsLast: Bool) async throws {
        let mark = CountedOperation.mark
        let results = Recorder<Int>()
        do {
            let members = Self.members(4)
            members[3].start()
            await members[3].completed()
            let all = URLConnectionOperation.batchOfRequestOperations(members, progressBlock: nil) {
                results.append($0.count)
            }
            for member in members { member.start() }
            for member in members { await member.completed() }
            if startsLast { all.last?.start() }
        }
        try await eventually("the completion") { results.count > 0 }
        try await Self.requireRelease(since: mark)
        #expect(results.values == [4])
    }

    @Test("The progress of a batch that nobody keeps still cancels its members")
    func progressCancels() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .stalled() }
        let done = Gate()
        let progress: Progress
        let queue = RequestOperationQueue()
        do {
            let batch = OperationBatch((0..<3).map { _ in HTTPRequestOperation.make(server.url()) })
            batch.completionQueue = DispatchQueue(label: "batch")
            batch.setCompletionBlock { operations in
                #expect(operations.count == 3 && operations.allSatisfy(\.isCancelledError))
                done.open()
            }
            batch.enqueue(on: queue)
            progress = batch.progress
        }
        _ = try await server.nextRequest()
        progress.cancel()
        await done.wait()
    }

    @Test("value() returns after the blocks, the main queue's too where it runs")
    func valueAfterBlocks() async {
        let log = Recorder<String>()
        let members = Self.members(3)
        members[1].completionQueue = nil
        members[1].completionBlock = {
            // Longer than the last member takes.
            Thread.sleep(forTimeInterval: 0.1)
            log.append("member")
        }
        let batch = OperationBatch(members)
        batch.setCompletionBlock { _ in log.append("batch") }
        _ = await batch.value()
        #expect(log.values == ["member", "batch"])
    }

    @Test("value() returns when all have finished, although a queue for blocks does not run", arguments: [false, true])
    func valueWithoutQueue(isNested: Bool) async throws {
        // The blocks of both are for the main queue, which is held up meanwhile.
        let (reached, release) = (Gate(), DispatchSemaphore(value: 0))
        DispatchQueue.main.async {
            reached.open()
            _ = release.wait(timeout: .now() + 20)
        }
        await reached.wait()
        let log = Recorder<String>()
        let members = Self.members(3)
        members[1].completionQueue = nil
        members[1].completionBlock = { log.append("member") }
        let inner = OperationBatch(members)
        let batch = isNested ? OperationBatch(Self.members(1), batches: [inner]) : inner
        let done = Gate()
        batch.setCompletionBlock { _ in
            log.append("batch")
            done.open()
        }
        let result = await batch.value()
        #expect(result.count == members.count + (isNested ? 1 : 0) && result.allSatisfy(\.isFinished))
        #expect(log.values.isEmpty)
        release.signal()
        await done.wait()
        #expect(log.values == ["member", "batch"])
    }
}
