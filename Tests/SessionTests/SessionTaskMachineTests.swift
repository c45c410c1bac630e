// SPDX-License-Identifier: MIT
import FoundationNetworking
import Testing

@testable import OperationNetworking

@Suite struct SessionTaskMachineTests {
    @Test func aSuspensionBeforeTheOperationStartsStands() {
        var machine = SessionTaskMachine()
        #expect(machine.resume() == .begin)
        #expect(machine.suspend() == .pause)
        // The queue starts the operation on a thread of its own.
        machine.noteBeginning()
        #expect(machine.state == .suspended)
        #expect(machine.resume() == .proceed)
        #expect(machine.state == .running)
    }

    @Test func anOperationThatIsStartedByHandRunsItsTask() {
        var machine = SessionTaskMachine()
        machine.noteBeginning()
        #expect(machine.state == .running)
        #expect(machine.resume() == .none)
        #expect(machine.suspend() == .pause)
        #expect(machine.resume() == .proceed)
    }
}
