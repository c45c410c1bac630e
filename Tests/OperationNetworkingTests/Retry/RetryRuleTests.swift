// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingTransport
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("The rules of retrying") struct RetryRuleTests {
    private static let policy = RetryPolicy(backoff: .constant(2))

    @Test("Passing failures are retried, others are not, and never beyond the attempts or the methods")
    func verdicts() {
        func verdict(
            _ method: String = "GET", error: URLError.Code? = nil, status: Int? = nil, attempts: Int = 1,
            isRepeatable: Bool = false, _ policy: RetryPolicy = Self.policy
        ) -> RetryJudge.Verdict {
            let judge = RetryJudge(
                method: method, isRepeatable: isRepeatable, error: error, statusCode: status, attempts: attempts,
                countedAttempts: attempts)
            return judge.verdict(policy, chance: 0.5)
        }
        let again = RetryJudge.Verdict.retry(after: 2, isCounted: true)
        for status in [408, 425, 429, 500, 502, 503, 504] { #expect(verdict(status: status) == again) }
        for status in [200, 301, 400, 401, 404, 501] { #expect(verdict(status: status) == .final) }
        for error in [URLError.Code.timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost] {
            #expect(verdict(error: error) == again)
        }
        for error in [URLError.Code.cancelled, .badURL, .serverCertificateUntrusted, .cannotWriteToFile, .unknown] {
            #expect(verdict(error: error) == .final)
        }
        for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"] {
            #expect(verdict(method, status: 503) == again)
        }
        for method in ["POST", "PATCH", "get", "é"] { #expect(verdict(method, status: 503) == .final) }
        #expect(verdict("POST", status: 503, isRepeatable: true) == again)
        #expect(verdict("POST", status: 503, RetryPolicy(backoff: .constant(2), methods: ["POST"])) == again)
        #expect(verdict(status: 503, attempts: 2) == again && verdict(status: 503, attempts: 3) == .final)
        #expect(verdict(status: 503, RetryPolicy(maximumAttempts: .min)) == .final)
        #expect(
            verdict(status: 418, RetryPolicy(backoff: .none, statusCodes: [418])) == .retry(after: 0, isCounted: true))
    }

    @Test("Who waits for the network does so beyond the attempts, but not after a response or a lost connection")
    func connectivity() {
        let policy = RetryPolicy(maximumAttempts: 1, backoff: .none, waitsForConnectivity: true)
        for error in [URLError.Code.cannotFindHost, .cannotConnectToHost, .notConnectedToInternet] {
            #expect(
                RetryJudge(method: "GET", error: error, attempts: 99, countedAttempts: 9).verdict(policy, chance: 0)
                    == .retry(after: 1, isCounted: false))
        }
        #expect(RetryJudge(method: "POST", error: .cannotFindHost).verdict(policy, chance: 0) == .final)
        #expect(RetryJudge(method: "GET", error: .networkConnectionLost).verdict(policy, chance: 0) == .final)
        #expect(RetryJudge(method: "GET", statusCode: 503).verdict(policy, chance: 0) == .final)
    }

    @Test("Retry-After is waited for, and the back-off after it; one that is too long is final")
    func retryAfterVerdicts() {
        func verdict(_ seconds: TimeInterval, _ backoff: Backoff, honors: Bool = true) -> RetryJudge.Verdict {
            RetryJudge(method: "GET", statusCode: 429, retryAfter: seconds)
                .verdict(RetryPolicy(backoff: backoff, honorsRetryAfter: honors), chance: 0.5)
        }
        let exponential = Backoff.exponential(initial: 1, factor: 2, maximum: 30)
        #expect(verdict(10, exponential) == .retry(after: 10.5, isCounted: true))
        #expect(verdict(60, exponential) == .retry(after: 60.5, isCounted: true))
        #expect(verdict(61, exponential) == .final && verdict(Double.infinity, exponential) == .final)
        #expect(verdict(61, exponential, honors: false) == .retry(after: 0.5, isCounted: true))
        let patient = Backoff.exponential(initial: 1, factor: 2, maximum: 90)
        #expect(verdict(90, patient) == .retry(after: 90.5, isCounted: true) && verdict(91, patient) == .final)
        #expect(verdict(60, .none) == .retry(after: 60, isCounted: true) && verdict(61, .constant(1)) == .final)
    }

    @Test("Full jitter: between nothing and a bound that grows up to the maximum, whatever the numbers")
    func backoff() {
        let backoff = Backoff.exponential(initial: 0.5, factor: 2, maximum: 30)
        #expect((0..<8).map { backoff.delay(after: $0, chance: 1) } == [0.5, 1, 2, 4, 8, 16, 30, 30])
        #expect(backoff.delay(after: 3, chance: 0) == 0 && backoff.delay(after: 3, chance: 0.25) == 1)
        #expect(backoff.delay(after: .max, chance: 1) == 30)
        for number in [Double.nan, -1, -Double.infinity] {
            #expect(Backoff.constant(number).delay(after: 0, chance: 1) == 0)
            #expect(Backoff.exponential(initial: number, factor: 2, maximum: 1).delay(after: 3, chance: 1) == 0)
            #expect(Backoff.exponential(initial: 1, factor: number, maximum: 9).delay(after: 3, chance: 1) == 1)
            #expect(Backoff.exponential(initial: 1, factor: 2, maximum: number).delay(after: 3, chance: 1) == 0)
        }
        #expect(Backoff.constant(.infinity).delay(after: 0, chance: 1) == Backoff.longest)
        let endless = Backoff.exponential(initial: .infinity, factor: .infinity, maximum: .infinity)
        #expect(endless.delay(after: 1, chance: 1) == Backoff.longest && endless.delay(after: 0, chance: 0) == 0)
        #expect(Backoff.none.delay(after: 9, chance: 1) == 0)
    }

    private static func seconds(_ fields: String) -> TimeInterval? {
        RetryAfter.seconds(
            of: ResponseHead(statusCode: 503, httpVersion: "1.1", rawFields: Array(fields.utf8)),
            now: Date(timeIntervalSince1970: 1_000_000_000))
    }

    @Test(
        "Retry-After in seconds and as each kind of date; what cannot be read is none",
        arguments: [
            ("Retry-After: 120", 120), ("retry-after:  0 ", 0), ("Retry-After: 007", 7),
            ("Retry-After: " + String(repeating: "9", count: 40), TimeInterval.infinity),
            ("Retry-After: Sun, 09 Sep 2001 01:46:50 GMT", 10), ("Retry-After: Sunday, 09-Sep-01 01:47:40 GMT", 60),
            ("Retry-After: Sun Sep  9 01:46:41 2001", 1), ("Retry-After: Sun, 09 Sep 2001 01:46:00 GMT", 0),
            ("Date: Sun, 09 Sep 2001 02:00:00 GMT\r\nRetry-After: Sun, 09 Sep 2001 02:00:05 GMT", 5),
            ("Date: nonsense\r\nRetry-After: Sun, 09 Sep 2001 01:46:50 GMT", 10),
            ("Retry-After: 1\r\nRetry-After: 2", 1),
            ("Retry-After: ", nil), ("Retry-After: -1", nil), ("Retry-After: 1.5", nil), ("Retry-After: soon", nil),
            ("Retry-After: 1, 2", nil), ("Retry-After: \u{661}", nil), ("X-Retry-After: 1", nil),
            ("Retry-After: " + String(repeating: "9", count: 65), nil),
        ])
    func retryAfter(fields: String, expected: TimeInterval?) {
        #expect(Self.seconds(fields + "\r\n") == expected)
    }

    @Test("A budget: ten seconds' worth at first, a share of each request, and so much a second, saved up to a limit")
    func budget() {
        let budget = RetryBudget(ratio: 0.5, minimumPerSecond: 0.2)
        func withdrawals(at now: TimeInterval) -> Int {
            var count = 0
            while count < 5000, budget.withdraw(at: now) { count += 1 }
            return count
        }
        #expect(withdrawals(at: 100) == 2 && withdrawals(at: 104) == 0 && withdrawals(at: 105) == 1)
        for _ in 0..<6 { budget.deposit(at: 105) }
        #expect(withdrawals(at: 105) == 3)
        // A clock that goes back brings nothing.
        #expect(withdrawals(at: 50) == 0 && withdrawals(at: 105) == 0)
        #expect(withdrawals(at: 1e9) == 502)
        for _ in 0..<3000 { budget.deposit(at: 1e9) }
        #expect(withdrawals(at: 1e9) == 502)
        for bad in [Double.nan, -1, -Double.infinity] {
            let nothing = RetryBudget(ratio: bad, minimumPerSecond: bad)
            nothing.deposit(at: 0)
            #expect(!nothing.withdraw(at: 1e6))
        }
    }
}
