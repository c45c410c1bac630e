// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// What a program does to the queue that a manager's blocks are called on.
@Suite("The queue of a session manager's blocks", .timeLimit(.minutes(1))) struct SessionQueueTests {
    let server: TestServer
    let manager: HTTPSessionManager
    /// How long a block waits for what must not happen.
    private static let moment = 0.3

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json(#"{"a":"b"}"#) }
        manager = HTTPSessionManager(baseURL: server.url()).offMain()
    }

    @Test(
        "Cancelling the operations of the queue, while blocks wait there, loses no handler and leaves no task behind",
        arguments: ["progress", "data"])
    func cancellation(block: String) async throws {
        let (isCalled, goesOn) = (Gate(), Gate())
        let waits: @Sendable () -> Void = {
            isCalled.open()
            #expect(goesOn.wait(timeout: 30))
        }
        if block == "data" { manager.setDataTaskDidReceiveDataBlock { _, _, _ in waits() } }
        let handled = Notes<Int>()
        let told: @Sendable (Progress) -> Void = { _ in waits() }
        let progress = block == "progress" ? told : nil
        // No more than a host gets connections.
        let tasks = (0..<5).compactMap { number in
            manager.get(
                "\(number)", progress: progress, success: { _, _ in handled.add(number) },
                failure: { _, _ in handled.add(-1) })
        }
        await isCalled.wait()
        // Content that nobody has taken yet does not let a transfer end.
        try await eventually("the transfers") {
            tasks.allSatisfy { block == "data" ? $0.response != nil : manager.operation(for: $0)?.isFinished == true }
        }
        manager.operationQueue.cancelAllOperations()
        #expect(handled.all.isEmpty)
        goesOn.open()
        try await eventually("the handlers") { handled.all.count >= tasks.count }
        try await eventually("the end of the tasks") { manager.tasks.isEmpty }
        #expect(handled.all.sorted() == Array(0..<5))
    }

    @Test("On a queue that runs several operations at a time, the blocks of a task and its handler come one by one")
    func width() async throws {
        manager.operationQueue.maxConcurrentOperationCount = 8
        let (sendsOn, isOverlapped, isHandled) = (Gate(), Gate(), Gate())
        server.respond(
            to: "/pieces",
            ScriptedResponse(headers: [("Content-Type", "application/json")], body: .chunks([#"{"a":"#, #""b"}"#]))
                .holding(sendsOn, at: .betweenPieces))
        let (counts, overlaps) = (Notes<Int64>(), Notes<Bool>())
        manager.get(
            "pieces",
            progress: { progress in
                counts.add(progress.completedUnitCount)
                guard counts.all.count == 1 else { return isOverlapped.open() }
                sendsOn.open()
                overlaps.add(isOverlapped.wait(timeout: Self.moment))
            },
            success: { _, _ in
                isOverlapped.open()
                isHandled.open()
            })
        await isHandled.wait()
        try await eventually("the first block") { !overlaps.all.isEmpty }
        #expect(overlaps.all == [false])
        // The last one for the total, which nobody had announced.
        #expect(counts.all == [5, 9, 9])
        // Those of two tasks at once.
        let (first, second) = (Gate(), Gate())
        async let one = manager.outcome {
            manager.get(
                "1",
                progress: { _ in
                    first.open()
                    #expect(second.wait(timeout: 30))
                }, success: $0, failure: $1)
        }
        async let other = manager.outcome {
            manager.get(
                "2",
                progress: { _ in
                    second.open()
                    #expect(first.wait(timeout: 30))
                }, success: $0, failure: $1)
        }
        #expect(await [one.status, other.status] == [200, 200])
    }

    @Test("A handler waits for a block of its task that nothing comes after")
    func lastBlock() async throws {
        let isHandled = Gate()
        let (calls, overlaps) = (Notes<Int64>(), Notes<Bool>())
        manager.setTaskDidSendBodyDataBlock { _, _, _, total, _ in
            overlaps.add(isHandled.wait(timeout: Self.moment))
            calls.add(total)
        }
        manager.post("x", parameters: ["k": "v"], success: { _, _ in isHandled.open() })
        await isHandled.wait()
        try await eventually("the block") { !calls.all.isEmpty }
        #expect(calls.all == [3] && overlaps.all == [false])
    }
}
