// SPDX-License-Identifier: MIT
import BatchGetCore
import Testing

private typealias Plan = DownloadPlan
private typealias Head = DownloadPlan.Head

@Suite("What is asked for next") struct DownloadPlanTests {
    @Test("One request, and the file is complete; of a length that nobody told, too", arguments: [10, nil] as [Int64?])
    func one(_ length: Int64?) {
        var plan = Plan(sourceCount: 1, settings: settings(1))
        #expect(plan.asked() == ["1 of 0: all"])
        #expect(plan.asked().isEmpty)
        #expect(plan.didReceive(head(length), of: 1) == .write)
        #expect(plan.didWrite(10, of: 1) == (length == nil))
        #expect(plan.didEnd(1, nil).isEmpty)
        #expect(plan.asked() == ["complete 10"])
        #expect(plan.asked().isEmpty, "it is over")
    }

    @Test("When the length is known the rest is cut evenly, and goes on being cut where most is missing")
    func split() {
        var plan = Plan(sourceCount: 1, settings: settings(4))
        #expect(plan.asked() == ["1 of 0: all"])
        #expect(plan.didReceive(head(16 * unit), of: 1) == .write)
        #expect(
            plan.asked() == [
                "2 of 0: bytes=4194304-8388607 if \"a\"", "3 of 0: bytes=8388608-12582911 if \"a\"",
                "4 of 0: bytes=12582912-16777215 if \"a\"",
            ])
        #expect(plan.room(of: 1)?.count == 4 * unit, "the first one's share ends where the second one's begins")
        // The third one is done first: of two shares of which nothing has come, the first one is halved.
        #expect(plan.didReceive(head(16 * unit, status: 206, first: 8 * unit), of: 3) == .write)
        #expect(plan.didWrite(Int(4 * unit), of: 3) == false)
        #expect(plan.didEnd(3, nil).isEmpty)
        #expect(plan.didWrite(Int(2 * unit), of: 1) == true)
        #expect(plan.asked() == ["5 of 0: bytes=6291456-8388607 if \"a\""])
        #expect(plan.received == 6 * unit)
    }

    @Test("What is too small is not cut; nor where there is no place, no range, no validator")
    func unsplit() {
        for (length, tag, ranges, place) in [
            (2 * unit - 1, "\"a\"", true, true), (16 * unit, "\"a\"", false, true), (16 * unit, nil, true, true),
            (16 * unit, "\"a\"", true, false),
        ] as [(Int64, String?, Bool, Bool)] {
            var plan = Plan(sourceCount: 1, settings: settings(4))
            _ = plan.asked()
            let head = Head(statusCode: 200, totalLength: length, validator: tag, acceptsRanges: ranges)
            #expect(plan.didReceive(head, of: 1) == .write)
            let asked = plan.asked { _ in place }
            #expect(asked.isEmpty)
        }
        var verified = Plan(sourceCount: 1, settings: settings(2, checksum: true))
        _ = verified.asked()
        #expect(verified.didReceive(head(16 * unit, tag: nil), of: 1) == .write)
        #expect(verified.asked() == ["2 of 0: bytes=8388608-16777215"], "the checksum tells in the end")
    }

    @Test("What was lost is asked for from where it was lost; a few times")
    func losses() {
        var plan = Plan(sourceCount: 1, settings: settings(1))
        _ = plan.asked()
        #expect(plan.didReceive(head(16 * unit), of: 1) == .write)
        #expect(plan.didWrite(Int(unit), of: 1) == true)
        #expect(plan.didEnd(1, lost).isEmpty)
        #expect(plan.asked() == ["2 of 0: bytes=1048576-16777215 if \"a\""])
        for number in 2...3 {
            #expect(plan.didEnd(number, lost).isEmpty)
            #expect(plan.asked() == ["\(number + 1) of 0: bytes=1048576-16777215 if \"a\""])
        }
        #expect(plan.didEnd(4, lost).isEmpty)
        #expect(plan.asked() == ["fail: lost"])
        #expect(plan.remains?.parts == [0..<unit])
    }

    @Test("Attempts that the request made by itself count; what will not pass is not tried again")
    func attempts() {
        var plan = Plan(sourceCount: 1, settings: settings(1))
        _ = plan.asked()
        #expect(plan.didEnd(1, .status(503, "busy"), attempts: 3).isEmpty)
        #expect(plan.asked() == ["fail: busy"])
        var missing = Plan(sourceCount: 1, settings: settings(1))
        _ = missing.asked()
        #expect(missing.didEnd(1, .status(404, "missing")).isEmpty)
        #expect(missing.asked() == ["fail: missing"])
    }

    @Test("Without a validator what was lost begins anew")
    func noValidator() {
        var plan = Plan(sourceCount: 1, settings: settings(1))
        _ = plan.asked()
        #expect(plan.didReceive(head(16 * unit, tag: nil), of: 1) == .write)
        #expect(plan.didWrite(Int(unit), of: 1) == true)
        #expect(plan.remains == nil)
        #expect(plan.didEnd(1, lost).isEmpty)
        #expect(plan.asked() == ["2 of 0: all"])
        #expect(plan.received == 0)
    }

    @Test("A server that does not want so many requests at once gets fewer, and the first one brings the rest")
    func fewerRequests() {
        var plan = Plan(sourceCount: 1, settings: settings(4, tries: 1))
        _ = plan.asked()
        #expect(plan.didReceive(head(16 * unit), of: 1) == .write)
        #expect(plan.asked().count == 3)
        for number in 2...4 { #expect(plan.didEnd(number, .status(503, "busy")).isEmpty) }
        #expect(plan.asked().isEmpty)
        #expect(plan.room(of: 1)?.count == 16 * unit)
        #expect(plan.didWrite(Int(16 * unit), of: 1) == false)
        #expect(plan.didEnd(1, nil).isEmpty)
        #expect(plan.asked() == ["complete \(16 * unit)"])
    }

    @Test("A server that sends everything in place of a range is not asked for one again")
    func noRanges() {
        var plan = Plan(sourceCount: 1, settings: settings(2))
        _ = plan.asked()
        #expect(plan.didReceive(head(16 * unit), of: 1) == .write)
        #expect(plan.asked().count == 1)
        #expect(plan.didReceive(head(16 * unit), of: 2) == .refuse(.noRanges))
        #expect(plan.didEnd(2, .noRanges).isEmpty)
        #expect(plan.asked().isEmpty)
        #expect(plan.room(of: 1)?.count == 16 * unit)
        // Nobody else is at work: what comes is taken.
        #expect(plan.didWrite(Int(unit), of: 1) == true)
        #expect(plan.didEnd(1, lost).isEmpty)
        #expect(plan.asked() == ["3 of 0: all"])
    }

    @Test("All of it in answer to the only request is taken as it comes")
    func wholeForRest() {
        let remains = Plan.Remains(total: 4 * unit, parts: [0..<unit], validators: ["\"a\""])
        var plan = Plan(sourceCount: 1, settings: settings(1), remains: remains)
        #expect(plan.asked() == ["1 of 0: bytes=1048576-4194303 if \"a\""])
        #expect(plan.didReceive(head(4 * unit), of: 1) == .write)
        #expect(plan.room(of: 1)?.offset == 0)
        #expect(plan.room(of: 1)?.count == 4 * unit)
        #expect(plan.received == 0)
    }

    @Test(
        "A file that was changed begins anew, all of it; the last time in one piece",
        arguments: [
            head(16 * unit, tag: "\"b\"", status: 206, first: 8 * unit), head(8 * unit, status: 206, first: 8 * unit),
            head(16 * unit, tag: "\"b\""), Head(statusCode: 416),
        ])
    func changed(_ head: DownloadPlan.Head) {
        var plan = Plan(sourceCount: 1, settings: settings(2))
        for number in [1, 3, 5] {
            #expect(plan.asked() == ["\(number) of 0: all"])
            #expect(plan.didReceive(BatchGetTests.head(16 * unit), of: number) == .write)
            #expect(plan.didWrite(Int(unit), of: number) == true)
            #expect(plan.asked().count == 1)
            #expect(plan.didReceive(head, of: number + 1) == .refuse(.changed))
            let actions = plan.didEnd(number + 1, .changed)
            #expect(actions == [.cancel(number)])
            #expect(plan.didEnd(number, nil).isEmpty, "nothing is heard of it any more")
        }
        #expect(plan.asked() == ["7 of 0: all"])
        #expect(plan.didReceive(BatchGetTests.head(16 * unit), of: 7) == .write)
        #expect(plan.asked().isEmpty, "ranges of one file cannot be had")
        #expect(plan.didWrite(Int(16 * unit), of: 7) == false)
        #expect(plan.didEnd(7, nil).isEmpty)
        #expect(plan.asked() == ["complete \(16 * unit)"])
    }

    @Test("A range beyond the end is of another file, which begins anew where nobody else is at work")
    func beyondTheEnd() {
        let remains = Plan.Remains(total: 4 * unit, parts: [0..<unit], validators: [nil])
        var plan = Plan(sourceCount: 1, settings: settings(1, checksum: true), remains: remains)
        for number in [1, 3, 5] {
            #expect(plan.asked() == ["\(number) of 0: bytes=1048576-4194303"])
            #expect(plan.didEnd(number, .status(416, "beyond")).isEmpty)
            #expect(plan.asked() == ["\(number + 1) of 0: all"])
            #expect(plan.beginnings == number / 2 + 1)
            #expect(plan.didReceive(head(4 * unit, tag: nil), of: number + 1) == .write)
            #expect(plan.didWrite(Int(unit), of: number + 1) == true)
            #expect(plan.didEnd(number + 1, lost).isEmpty)
        }
        #expect(plan.asked() == ["7 of 0: all"], "the last time in one piece")
        var whole = Plan(sourceCount: 1, settings: settings(1))
        _ = whole.asked()
        #expect(whole.didEnd(1, .status(416, "beyond")).isEmpty)
        #expect(whole.asked() == ["fail: beyond"], "nothing less can be asked for")
    }

    @Test("What is to be asked again much later is not asked again; where others are at work, not so often")
    func later() {
        var plan = Plan(sourceCount: 1, settings: settings(2))
        _ = plan.asked()
        #expect(plan.didReceive(head(16 * unit), of: 1) == .write)
        #expect(plan.asked().count == 1)
        #expect(plan.didEnd(2, .later("busy")).isEmpty)
        #expect(plan.asked().isEmpty)
        #expect(plan.didEnd(1, lost).isEmpty)
        #expect(plan.asked() == ["3 of 0: all"])
        #expect(plan.didEnd(3, .later("busy")).isEmpty)
        #expect(plan.asked() == ["fail: busy"])
    }

    @Test("A place that redirects elsewhere than before has another file, whatever its tag says; a checksum decides")
    func redirectedElsewhere() {
        for (resource, checksum) in [("here", false), ("elsewhere", false), (nil, false), ("elsewhere", true)] {
            let remains = Plan.Remains(
                total: 4 * unit, parts: [0..<unit], validators: ["\"a\""], resources: ["here"])
            var plan = Plan(sourceCount: 1, settings: settings(1, checksum: checksum), remains: remains)
            #expect(plan.asked() == ["1 of 0: bytes=\(unit)-\(4 * unit - 1) if \"a\""])
            var answer = head(4 * unit, status: 206, first: unit)
            answer.resource = resource
            let isSame = resource == "here" || checksum
            #expect(plan.didReceive(answer, of: 1) == (isSame ? .write : .refuse(.changed)))
            guard !isSame else {
                #expect(plan.remains?.resources == [resource])
                continue
            }
            _ = plan.didEnd(1, .changed)
            #expect(plan.asked() == ["2 of 0: all"])
        }
    }

    @Test(
        "A range that was not asked for is not written: the place is asked for everything, and given up if that fails")
    func otherRange() {
        let remains = Plan.Remains(total: 4 * unit, parts: [0..<unit], validators: ["\"a\""])
        for first in [0, unit + 1, nil] as [Int64?] {
            var plan = Plan(sourceCount: 1, settings: settings(1), remains: remains)
            _ = plan.asked()
            #expect(plan.didReceive(head(4 * unit, status: 206, first: first), of: 1) == .refuse(.otherRange))
            #expect(plan.didEnd(1, .otherRange).isEmpty)
            #expect(plan.asked() == ["2 of 0: all"])
            #expect(plan.didReceive(head(4 * unit, status: 206, first: 0), of: 2) == .refuse(.otherRange))
            #expect(plan.didEnd(2, .otherRange).isEmpty)
            #expect(plan.asked() == ["fail: \(Plan.Failure.otherRange.text)"])
        }
    }

    @Test("The length of the manifest is what counts")
    func otherLength() {
        var plan = Plan(sourceCount: 1, settings: settings(1, size: 11))
        _ = plan.asked()
        #expect(plan.didReceive(head(10), of: 1) == .refuse(.otherLength(10, 11)))
        #expect(plan.didEnd(1, .otherLength(10, 11)).isEmpty)
        #expect(plan.asked() == ["fail: \(Plan.Failure.otherLength(10, 11).text)"])
        var silent = Plan(sourceCount: 1, settings: settings(1, size: 11))
        _ = silent.asked()
        #expect(silent.didReceive(head(nil), of: 1) == .write)
        #expect(silent.didWrite(10, of: 1) == true)
        #expect(silent.didEnd(1, nil).isEmpty)
        #expect(silent.asked() == ["fail: \(Plan.Failure.otherLength(10, 11).text)"])
    }

    @Test("Nothing written is beyond a segment, and what ended is not written to")
    func bounds() {
        var plan = Plan(sourceCount: 1, settings: settings(1))
        _ = plan.asked()
        #expect(plan.didReceive(head(10), of: 1) == .write)
        #expect(plan.didWrite(100, of: 1) == false)
        #expect(plan.received == 10)
        #expect(plan.room(of: 1) == nil && plan.room(of: 7) == nil)
        #expect(plan.didReceive(head(10), of: 7) == .refuse(.stale))
    }

    @Test("A local failure ends everything")
    func local() {
        var plan = Plan(sourceCount: 1, settings: settings(2))
        _ = plan.asked()
        #expect(plan.didReceive(head(16 * unit), of: 1) == .write)
        #expect(plan.asked().count == 1)
        #expect(plan.didEnd(2, .local("full")) == [.cancel(1), .fail(.local("full"))])
    }
}

@Suite("Which place is asked") struct MirrorPlanTests {
    @Test("What one place does not have is had of another, from where it was lost if the tag is the same")
    func failOver() {
        var plan = Plan(sourceCount: 2, settings: settings(1, tries: 1))
        #expect(plan.asked() == ["1 of 0: all"])
        #expect(plan.didReceive(head(4 * unit), of: 1) == .write)
        #expect(plan.didWrite(1000, of: 1) == true)
        #expect(plan.didEnd(1, lost).isEmpty)
        #expect(plan.asked() == ["2 of 1: bytes=1000-4194303"])
        #expect(plan.didReceive(head(4 * unit, status: 206, first: 1000), of: 2) == .write)
    }

    @Test("Another file of a mirror is not put together with what is there", arguments: ["\"b\"", nil])
    func otherFile(_ tag: String?) {
        var plan = Plan(sourceCount: 2, settings: settings(2))
        _ = plan.asked()
        #expect(plan.didReceive(head(16 * unit), of: 1) == .write)
        #expect(plan.asked() == ["2 of 1: bytes=8388608-16777215"])
        #expect(plan.didReceive(head(16 * unit, tag: tag, status: 206, first: 8 * unit), of: 2) == .refuse(.changed))
        #expect(plan.didEnd(2, .changed).isEmpty, "the first place goes on")
        #expect(plan.asked() == ["3 of 0: bytes=8388608-16777215 if \"a\""])
    }

    @Test("With a checksum mirrors are asked at once, whatever their tags")
    func checksum() {
        var plan = Plan(sourceCount: 3, settings: settings(3, checksum: true))
        _ = plan.asked()
        #expect(plan.didReceive(head(30 * unit, tag: "W/\"a\""), of: 1) == .write)
        #expect(plan.asked() == ["2 of 1: bytes=10485760-20971519", "3 of 2: bytes=20971520-31457279"])
        #expect(plan.didReceive(head(30 * unit, tag: "\"b\"", status: 206, first: 10 * unit), of: 2) == .write)
        #expect(
            plan.didReceive(head(31 * unit, tag: "\"b\"", status: 206, first: 20 * unit), of: 3) == .refuse(.changed))
    }

    @Test("All places fail: the last reason is told")
    func allFail() {
        var plan = Plan(sourceCount: 2, settings: settings(2))
        #expect(plan.asked() == ["1 of 0: all"])
        #expect(plan.didEnd(1, .status(404, "missing")).isEmpty)
        #expect(plan.asked() == ["2 of 1: all"])
        #expect(plan.didEnd(2, .status(403, "forbidden")).isEmpty)
        #expect(plan.asked() == ["fail: forbidden"])
    }
}

@Suite("What an earlier run left") struct RemainsTests {
    @Test("Only what is missing is asked for, and a place that has not answered yet is asked once")
    func continuing() {
        let remains = Plan.Remains(
            total: 16 * unit, parts: [0..<unit, 4 * unit..<8 * unit], validators: ["\"a\""])
        var plan = Plan(sourceCount: 1, settings: settings(4), remains: remains)
        #expect(plan.received == 5 * unit)
        #expect(plan.remains == remains)
        #expect(plan.asked() == ["1 of 0: bytes=1048576-4194303 if \"a\""])
        #expect(plan.didReceive(head(16 * unit, status: 206, first: unit), of: 1) == .write)
        #expect(
            plan.asked() == [
                "2 of 0: bytes=8388608-16777215 if \"a\"", "3 of 0: bytes=12582912-16777215 if \"a\"",
                "4 of 0: bytes=10485760-12582911 if \"a\"",
            ])
    }

    @Test("A complete file is complete")
    func complete() {
        let remains = Plan.Remains(total: 10, parts: [0..<10], validators: ["\"a\""])
        var plan = Plan(sourceCount: 1, settings: settings(4), remains: remains)
        #expect(plan.asked() == ["complete 10"])
    }

    @Test("What cannot be true, or cannot be verified, does not count")
    func unsound() {
        for remains in [
            Plan.Remains(total: 10, parts: [0..<11], validators: ["\"a\""]),
            Plan.Remains(total: 10, parts: [5..<8, 0..<3], validators: ["\"a\""]),
            Plan.Remains(total: 10, parts: [0..<5, 5..<8], validators: ["\"a\""]),
            Plan.Remains(total: -1, parts: [], validators: ["\"a\""]),
            Plan.Remains(total: 10, parts: [0..<5], validators: [nil]),
            Plan.Remains(total: 10, parts: [0..<5], validators: []),
        ] {
            var plan = Plan(sourceCount: 1, settings: settings(4), remains: remains)
            #expect(plan.received == 0)
            #expect(plan.asked() == ["1 of 0: all"])
        }
        let other = Plan.Remains(total: 10, parts: [0..<5], validators: ["\"a\""])
        #expect(Plan(sourceCount: 1, settings: settings(1, size: 11), remains: other).received == 0)
    }
}
