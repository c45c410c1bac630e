// SPDX-License-Identifier: MIT
import BatchGetCore
import Testing

private typealias Plan = DownloadPlan

@Suite("What begins anew") struct NewBeginningTests {
    @Test("A response that begins anew says how long the file is, whatever another one said", arguments: [8, nil, 15])
    func otherLengthAnew(_ length: Int64?) {
        for tag in [nil, "\"b\""] {
            var plan = Plan(sourceCount: 1, settings: settings(1))
            _ = plan.asked()
            #expect(plan.didReceive(head(10, tag: nil), of: 1) == .write)
            #expect(plan.didWrite(3, of: 1) == true)
            #expect(plan.didEnd(1, lost).isEmpty)
            #expect(plan.asked() == ["2 of 0: all"])
            #expect(plan.didReceive(head(length, tag: tag), of: 2) == .write)
            #expect(plan.room(of: 2)?.count == length ?? .max)
            let size = Int(length ?? 15)
            #expect(plan.didWrite(size, of: 2) == (length == nil))
            #expect(plan.didEnd(2, nil).isEmpty)
            #expect(plan.asked() == ["complete \(size)"])
        }
        // Nor what an earlier run noted, or the same place said without sending anything.
        let remains = Plan.Remains(total: 10, parts: [], validators: ["\"a\""])
        var noted = Plan(sourceCount: 1, settings: settings(1), remains: remains)
        #expect(noted.asked() == ["1 of 0: all"])
        #expect(noted.didReceive(head(length), of: 1) == .write)
        #expect(noted.room(of: 1)?.count == length ?? .max)
    }

    @Test("A validator is of the response that had it: none that comes later without one goes by it")
    func silence() {
        // In answer to the whole file.
        var plan = Plan(sourceCount: 1, settings: settings(1))
        _ = plan.asked()
        #expect(plan.didReceive(head(16 * unit), of: 1) == .write)
        #expect(plan.didEnd(1, lost).isEmpty)
        #expect(plan.asked() == ["2 of 0: all"])
        #expect(plan.didReceive(head(16 * unit, tag: nil), of: 2) == .write)
        #expect(plan.didWrite(Int(unit), of: 2) == true)
        #expect(plan.remains == nil)
        #expect(plan.didEnd(2, lost).isEmpty)
        #expect(plan.asked() == ["3 of 0: all"])
        // In answer to a range.
        let remains = Plan.Remains(total: 16 * unit, parts: [0..<unit], validators: ["\"a\""])
        var ranged = Plan(sourceCount: 1, settings: settings(1), remains: remains)
        _ = ranged.asked()
        #expect(ranged.didReceive(head(16 * unit, tag: nil), of: 1) == .write)
        #expect(ranged.didWrite(Int(unit), of: 1) == true)
        #expect(ranged.remains == nil)
        // A part need not say again what it was asked for with.
        var part = Plan(sourceCount: 1, settings: settings(1), remains: remains)
        _ = part.asked()
        #expect(part.didReceive(head(16 * unit, tag: nil, status: 206, first: unit), of: 1) == .write)
        #expect(part.remains == remains)
    }

    @Test("What comes again from the beginning, and no further, is no progress: a few times")
    func noProgress() {
        var plan = Plan(sourceCount: 1, settings: settings(1))
        for number in 1...4 {
            #expect(plan.asked() == ["\(number) of 0: all"])
            #expect(plan.didReceive(head(16 * unit, tag: nil), of: number) == .write)
            #expect(plan.didWrite(Int(unit), of: number) == true)
            #expect(plan.didEnd(number, lost).isEmpty)
        }
        #expect(plan.asked() == ["fail: lost"])
    }

    @Test("What was there is given up with what begins anew, which is told")
    func beginnings() {
        let remains = Plan.Remains(total: 4 * unit, parts: [0..<unit], validators: ["\"a\""])
        var plan = Plan(sourceCount: 1, settings: settings(1), remains: remains)
        _ = plan.asked()
        #expect(plan.beginnings == 0)
        #expect(plan.didReceive(head(4 * unit, tag: nil), of: 1) == .write)
        #expect(plan.beginnings == 1)
    }

    @Test("What an earlier run left is given up when the whole is not what the manifest says")
    func failedVerification() {
        let remains = Plan.Remains(total: 4 * unit, parts: [0..<unit], validators: ["\"a\""])
        var plan = Plan(sourceCount: 1, settings: settings(1, checksum: true), remains: remains)
        #expect(plan.asked() == ["1 of 0: bytes=1048576-4194303 if \"a\""])
        #expect(plan.didReceive(head(4 * unit, status: 206, first: unit), of: 1) == .write)
        #expect(plan.didWrite(Int(3 * unit), of: 1) == false)
        #expect(plan.asked() == ["complete \(4 * unit)"])
        #expect(plan.isContinued)
        plan.didFailVerification()
        #expect(!plan.isContinued && plan.received == 0 && plan.beginnings == 1)
        #expect(plan.didEnd(1, nil).isEmpty, "nothing is heard of it any more")
        #expect(plan.asked() == ["2 of 0: all"])
    }

    @Test("A mirror's file that begins anew is not put together with what the place before has")
    func otherMirror() {
        var plan = Plan(sourceCount: 2, settings: settings(1))
        _ = plan.asked()
        #expect(plan.didReceive(head(16 * unit), of: 1) == .write)
        #expect(plan.didEnd(1, lost).isEmpty)
        #expect(plan.asked() == ["2 of 1: all"])
        #expect(plan.didReceive(head(16 * unit, tag: "\"b\""), of: 2) == .write)
        #expect(plan.didWrite(Int(unit), of: 2) == true)
        #expect(plan.didEnd(2, .status(404, "gone")).isEmpty)
        #expect(plan.asked() == ["3 of 0: bytes=1048576-16777215"])
        #expect(plan.didReceive(head(16 * unit, status: 206, first: unit), of: 3) == .refuse(.changed))
    }
}
