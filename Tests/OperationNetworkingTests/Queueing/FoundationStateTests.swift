// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

extension Trait where Self == ConditionTrait {
    /// What the comment of `FoundationState` says is lost where Foundation's record of an operation cannot be read.
    static var needsFoundationState: Self { .enabled(if: FoundationState.isReadable) }
}

@Suite(.timeLimit(.minutes(1))) struct FoundationStateTests {
    @Test(
        "Foundation's record of an operation is read: alone, enqueued, started by hand, finished", .needsFoundationState
    )
    func states() {
        let operation = BlockOperation {}
        #expect(FoundationState(of: operation) == .initialized)
        let queue = OperationQueue()
        queue.isSuspended = true
        queue.addOperation(operation)
        #expect(FoundationState(of: operation) == .enqueued && FoundationState(of: operation).isQueued)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(FoundationState(of: operation) == .begun)
        let byHand = BlockOperation {}
        byHand.start()
        #expect(FoundationState(of: byHand) == .begun)
    }

    @Test("Whether an operation that is not ours may wait for one is read, too", .needsFoundationState)
    func dependents() {
        let (own, foreign, other) = (InstantOperation(), BlockOperation {}, InstantOperation())
        #expect(!FoundationState.mayHaveForeignDependents(own))
        own.addDependency(foreign)
        other.addDependency(own)
        #expect(!FoundationState.mayHaveForeignDependents(own))
        foreign.removeDependency(own)
        #expect(!FoundationState.mayHaveForeignDependents(own))
        own.removeDependency(foreign)
        foreign.addDependency(own)
        #expect(FoundationState.mayHaveForeignDependents(own))
        #expect(!FoundationState.mayHaveForeignDependents(other))
    }

    @Test("An operation that its queue starts sees so", .needsFoundationState)
    func starting() async {
        final class Observed: Operation, @unchecked Sendable {
            let seen = Recorder<FoundationState>()
            override func start() {
                seen.append(FoundationState(of: self))
                super.start()
            }
        }
        let operation = Observed()
        OperationQueue().addOperation(operation)
        _ = becomesTrue { operation.isFinished }
        #expect(operation.seen.values == [.starting])
    }

    @Test("What the library asks and tells is no sign of a queue; what a queue asks is")
    func evidence() async {
        let operation = HTTPRequestOperation.make()
        let other = HTTPRequestOperation.make()
        operation.pause()
        operation.resume()
        operation.addDependency(other as Operation)
        operation.removeDependency(other)
        operation.cancel()
        #expect(!operation.lock.withLock { operation._evidence.wasAsked } && operation.foundationState == .initialized)
        let queue = OperationQueue()
        queue.isSuspended = true
        queue.addOperation(operation)
        #expect(operation.lock.withLock { operation._evidence.wasAsked } && operation.foundationState != .initialized)
        #expect(operation.isLeftToFoundation)
        queue.isSuspended = false
        await operation.completed()
        #expect(operation.lock.withLock { operation._evidence.wasStarted })
    }

    @Test("A subclass that answers without asking is not taken for one that no queue has")
    func ownAnswer() async {
        final class Willing: HTTPRequestOperation, @unchecked Sendable {
            override var isReady: Bool { true }
        }
        let operation = Willing(request: URLRequest(url: unsupportedURL))
        operation.completionQueue = DispatchQueue(label: "test")
        operation.pause()
        operation.start()
        let queue = OperationQueue()
        queue.isSuspended = true
        queue.addOperation(operation)
        #expect(operation.isLeftToFoundation)
        operation.resume()
        #expect(!operation.isFinished && !operation.isExecuting)
        queue.isSuspended = false
        await operation.completed()
    }

    @Test("Foundation is told again wherever a no of before may have been stored after the operation had become ready")
    func toldAgain() {
        var evidence = FoundationEvidence()
        let neverNo = evidence.noteQuestion(answer: true)
        evidence.expectQuestion()
        let ownNo = evidence.noteQuestion(answer: false)
        evidence.expectQuestion()
        let ownYes = evidence.noteQuestion(answer: true)
        let wasAsked = evidence.endExpectation()
        #expect(!neverNo && !ownNo && !ownYes && wasAsked)
        let (no, yes, again) = (
            evidence.noteQuestion(answer: false), evidence.noteQuestion(answer: true),
            evidence.noteQuestion(answer: true)
        )
        evidence.expectQuestion()
        let isAnswered = evidence.endExpectation()
        #expect(!no && yes && again && !isAnswered)
    }

    @Test("A thread that pauses, and is late to store the answer, does not keep a resumed operation from starting")
    func lateAnswer() {
        /// Holds the thread that was told no.
        final class Held: HTTPRequestOperation, @unchecked Sendable {
            let (told, goesOn) = (Latch(), Latch())
            private let mayHold = Locked(true)

            override var isReady: Bool {
                let isReady = super.isReady
                let holds = mayHold.withLock { mayHold in
                    defer { if !isReady { mayHold = false } }
                    return mayHold && !isReady
                }
                guard holds else { return isReady }
                told.open()
                goesOn.wait()
                return isReady
            }
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let (isBusy, isFree) = (Latch(), Latch())
        queue.addOperation {
            isBusy.open()
            isFree.wait()
        }
        isBusy.wait()
        let operation = Held(request: URLRequest(url: unsupportedURL))
        operation.completionQueue = DispatchQueue(label: "test")
        queue.enqueue([operation])
        let hasPaused = Latch()
        Thread.detachNewThread {
            operation.pause()
            hasPaused.open()
        }
        operation.told.wait()
        operation.resume()
        operation.goesOn.open()
        hasPaused.wait()
        isFree.open()
        #expect(becomesTrue { operation.isFinished })
    }

    @Test("An end that comes before a queue's call of start() has done its part follows it: Foundation looks by itself")
    func endOfStart() async throws {
        let operation = HTTPRequestOperation.make()
        let calls = Tally()
        operation.completionBlock = { calls.increment() }
        operation.lock.withLock { operation._evidence.beginStart() }
        operation.start()
        #expect(!operation.isFinished && operation.error != nil)
        operation.endStartByFoundation()
        #expect(operation.isFinished)
        await operation.completed()
        operation.endStartByFoundation()
        #expect(calls.value == 1)
    }
}
