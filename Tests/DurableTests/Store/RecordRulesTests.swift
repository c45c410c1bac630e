// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import Testing

@testable import OperationNetworkingDurable

struct RecordRulesTests {
    @Test func anEndIsTheLastState() {
        for state in DurableRequest.State.allCases where state.isEnd {
            #expect(DurableRequest.State.allCases.allSatisfy { !state.canBecome($0) })
        }
        #expect(DurableRequest.State.running.canBecome(.scheduled))
        #expect(!DurableRequest.State.waiting.canBecome(.running))
    }

    @Test func whatFollowsAnOutcome() {
        let result = StoredResult(summary: Data())
        typealias Rules = RecordRules
        #expect(
            Rules.next(after: .retry(delay: 5, result), isCancelling: false, timeToDeadline: nil).state == .scheduled)
        #expect(Rules.next(after: .retry(delay: 0, result), isCancelling: false, timeToDeadline: 1).state == .ready)
        #expect(
            Rules.next(after: .retry(delay: 5, result), isCancelling: true, timeToDeadline: nil).state == .cancelled)
        let late = Rules.next(after: .retry(delay: 5, result), isCancelling: false, timeToDeadline: 3)
        #expect(late.state == .failed && late.reason == .deadline)
        #expect(Rules.next(after: .succeeded(result), isCancelling: true, timeToDeadline: -1).state == .succeeded)
        #expect(Rules.next(after: .released, isCancelling: true, timeToDeadline: nil).state == .cancelled)
        #expect(Rules.bounded(.nan) == 0 && Rules.bounded(.infinity) == Rules.longestSpan)
    }

    @Test func backOffsGrowToTheirMaximum() {
        let policy = DurableRetryPolicy(maximumAttempts: 50, initialDelay: 1, factor: 2, maximumDelay: 10)
        #expect(
            [1, 2, 3, 4, 5, 40].map { policy.delay(afterFailures: $0, chance: 1, retryAfter: nil) } == [
                1, 2, 4, 8, 10, 10,
            ])
        #expect(policy.delay(afterFailures: 50, chance: 1, retryAfter: nil) == nil)
        #expect(policy.delay(afterFailures: 1, chance: 0, retryAfter: 1e9) == 3600)
        #expect(policy.delay(afterFailures: 1, chance: 0, retryAfter: .nan) == 0)
    }

    @Test func hostsAreSpelledAlike() throws {
        for (text, host) in [
            ("http://Example.COM/a", "example.com:80"), ("HTTPS://example.com", "example.com:443"),
            ("http://example.com:8080/", "example.com:8080"),
        ] {
            let url = try #require(URL(string: text))
            #expect(try RequestContent(DurableRequest(URLRequest(url: url))).host == host)
        }
    }
}
