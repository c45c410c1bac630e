// SPDX-License-Identifier: MIT
import FoundationNetworking
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

@Suite struct SessionTaskMachineTests {
    @Test func aSuspensionBeforeTheOperationStartsStands() {
        var machine = SessionTaskMachine()
        #expect(machine.resume() == .begin)
        #expect(machine.suspend() == .pause)
        // The queue starts the operation on a thread of its own.
        let runsByThat = machine.noteBeginning()
        #expect(!runsByThat && machine.state == .suspended)
        #expect(machine.resume() == .proceed)
        #expect(machine.state == .running)
    }

    @Test func anOperationThatIsStartedByHandRunsItsTask() {
        var machine = SessionTaskMachine()
        let runsByThat = machine.noteBeginning()
        #expect(runsByThat && machine.state == .running)
        #expect(machine.resume() == .none)
        #expect(machine.suspend() == .pause)
        #expect(machine.resume() == .proceed)
    }

    @Test("A task that ended by its cancellation is told from one that was cancelled after its end")
    func endOfCancellation() {
        var machine = SessionTaskMachine()
        #expect(machine.cancel() == .stop && !machine.endsCancelled)
        #expect(machine.complete() && machine.endsCancelled && !machine.isActive)
        var late = SessionTaskMachine()
        #expect(late.isActive && late.complete() && late.cancel() == .none && !late.endsCancelled)
    }

    @Test("What comes too late shows until the end is told, and does nothing")
    func late() {
        var machine = SessionTaskMachine()
        #expect(machine.resume() == .begin && machine.complete() && machine.stateBeforeEnd == .running)
        #expect(machine.suspend() == .none && machine.stateBeforeEnd == .suspended)
        #expect(machine.resume() == .none && machine.stateBeforeEnd == .running)
        #expect(machine.cancel() == .none && machine.stateBeforeEnd == .canceling)
        #expect(machine.resume() == .none && machine.suspend() == .none && machine.stateBeforeEnd == .canceling)
        #expect(machine.state == .completed && !machine.complete())
    }
}
