// SPDX-License-Identifier: MIT
import Foundation
import NetworkingTransport
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Stream machine", .timeLimit(.minutes(1))) struct StreamMachineTests {
    private static func machine() -> StreamMachine {
        var machine = StreamMachine()
        machine.addReader()
        machine.begin(.plain)
        return machine
    }

    private static func write(_ count: Int, to machine: inout StreamMachine) -> StreamMachine.Acceptance {
        [UInt8](repeating: 7, count: count).withUnsafeBytes { machine.write($0) }
    }

    /// Bytes that can be read now, and what then comes.
    private static func drain(_ machine: inout StreamMachine) -> (bytes: Int, then: StreamMachine.Reading) {
        var bytes = 0
        while true {
            let reading = machine.read()
            guard case .item(let item, _) = reading else { return (bytes, reading) }
            if case .content(let data) = item { bytes += data.count }
        }
    }

    @Test("Nothing is read before the verdict; then everything, in order, and the commit once")
    func admitted() {
        var machine = Self.machine()
        guard case .accepted = Self.write(100_000, to: &machine) else {
            Issue.record("not accepted")
            return
        }
        #expect(!machine.isReadable)
        machine.complete()
        #expect(!machine.isReadable && !machine.needsNoReader)
        machine.admit(machine.response)
        #expect(machine.isReadable)
        let (bytes, then) = Self.drain(&machine)
        #expect(bytes == 100_000)
        guard case .commit = then, case .wait = machine.read() else {
            Issue.record("no commit, or two")
            return
        }
        machine.end()
        guard case .end = machine.read() else {
            Issue.record("no end")
            return
        }
    }

    @Test("It pauses with 512 KiB, and tells once that there is space")
    func pause() {
        var machine = Self.machine()
        machine.admit(machine.response)
        var accepted = 0
        while case .accepted = Self.write(50_000, to: &machine) { accepted += 50_000 }
        #expect(
            accepted >= ContentBuffer.End.reader.highWater && accepted < ContentBuffer.End.reader.highWater + 50_000)
        var spaces = 0
        var left = accepted
        while case .item(let item, let hasSpace) = machine.read() {
            if case .content(let data) = item { left -= data.count }
            if hasSpace {
                spaces += 1
                #expect(left <= ContentBuffer.End.reader.lowWater)
            }
        }
        #expect(spaces == 1 && left == 0)
    }

    @Test("A refused response gives its content away, and takes no more; a verdict on an earlier one is none")
    func refused() {
        var machine = Self.machine()
        let first = machine.response
        _ = Self.write(10, to: &machine)
        machine.begin(.plain)
        machine.admit(first)
        #expect(machine.verdict == .pending)
        let late = machine.refuse(first)
        #expect(late == nil)
        _ = Self.write(20, to: &machine)
        let refusal = machine.refuse(machine.response)
        #expect(refusal?.content.map(\.count) == [20] && refusal?.wasPaused == false)
        guard case .divert = Self.write(1, to: &machine) else {
            Issue.record("taken")
            return
        }
        machine.complete()
        #expect(machine.needsNoReader && !machine.isReadable)
    }

    @Test("After a failure what has come can be read; before a verdict it cannot")
    func failure() {
        for isAdmitted in [false, true] {
            var machine = Self.machine()
            if isAdmitted { machine.admit(machine.response) }
            _ = Self.write(10, to: &machine)
            machine.discard()
            machine.end()
            let (bytes, then) = Self.drain(&machine)
            #expect(bytes == (isAdmitted ? 10 : 0))
            guard case .end = then else {
                Issue.record("no end")
                return
            }
        }
    }

    @Test("Without anybody who may read, content is dropped, and the transfer goes on")
    func unwanted() {
        var machine = Self.machine()
        machine.admit(machine.response)
        while case .accepted = Self.write(50_000, to: &machine) {}
        let resumes = machine.removeReader()
        #expect(resumes)
        guard case .accepted = Self.write(50_000_000, to: &machine) else {
            Issue.record("not dropped")
            return
        }
        machine.complete()
        #expect(machine.needsNoReader)
        machine.addReader()
        let isClaimed = machine.claim()
        #expect(!isClaimed)
    }

    @Test("Content that begins anew replaces what was not read, and is compared with what was")
    func beginsAnew() {
        for isRead in [false, true] {
            var machine = Self.machine()
            machine.admit(machine.response)
            _ = Self.write(30, to: &machine)
            if isRead { _ = Self.drain(&machine) }
            machine.begin(.plain)
            #expect(machine.canContinue == !isRead)
            machine.admit(machine.response)
            _ = Self.write(40, to: &machine)
            #expect(Self.drain(&machine).bytes == 40)
            machine.didRepeat()
            #expect(machine.canContinue)
        }
    }
}
