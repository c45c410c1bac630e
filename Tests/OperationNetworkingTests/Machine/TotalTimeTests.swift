// SPDX-License-Identifier: MIT
import Testing

@testable import OperationNetworkingCore

@Suite("The clock of an operation's total time") struct TotalTimeTests {
    @Test("It stands while paused and while waiting, and an alarm from before says nothing")
    func clock() throws {
        let time = try #require(TotalTime(limit: 10))
        let first = try #require(time.run(at: 100))
        #expect(first.delay == 10)
        #expect(time.run(at: 101) == nil, "it runs already")
        #expect(time.wait(true, at: 103) == nil)
        #expect(time.look(first.number, at: 200) == nil)
        let second = try #require(time.wait(false, at: 200))
        #expect(second.delay == 7 && second.number != first.number)
        time.pause(at: 204)
        #expect(time.wait(true, at: 205) == nil && time.run(at: 300) == nil)
        let third = try #require(time.wait(false, at: 400))
        #expect(third.delay == 3)
        #expect(time.look(third.number, at: 401) == .later(.init(delay: 2, number: third.number)))
        #expect(time.look(third.number, at: 403) == .over && time.look(second.number, at: 403) == nil)
        time.pause(at: 405)
        #expect(time.run(at: 500)?.delay == 0)
    }

    @Test("What is no limit makes no clock", arguments: [nil, 0, -1, .nan, .infinity, 1e300])
    func limits(limit: Double?) {
        #expect(TotalTime(limit: limit) == nil)
    }
}
