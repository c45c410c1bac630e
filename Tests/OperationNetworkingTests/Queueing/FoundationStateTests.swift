// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworking

@Suite(.timeLimit(.minutes(1))) struct FoundationStateTests {
    @Test("Foundation's record of an operation is read: alone, enqueued, started by hand, finished")
    func states() {
        let operation = BlockOperation {}
        #expect(FoundationState(of: operation) == .initialized)
        let queue = OperationQueue()
        queue.isSuspended = true
        queue.addOperation(operation)
        #expect(FoundationState(of: operation) == .enqueued && FoundationState(of: operation).isWaiting)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(FoundationState(of: operation) == .begun)
        let byHand = BlockOperation {}
        byHand.start()
        #expect(FoundationState(of: byHand) == .begun)
    }

    @Test("Whether an operation that is not ours may wait for one is read, too")
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

    @Test("An operation that its queue starts sees so")
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
}
