// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import Testing

@testable import NetworkingTransport
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

@Suite("Dates of a session's metrics", .enabled(if: FoundationState.isReadable)) struct SessionTaskMetricsTests {
    /// countly-sdk-cpp#100, sglang#17640.
    @Test("A clock that was set meanwhile moves none of them", arguments: [-86_400.0, 0, 86_400])
    func clockIsSet(seconds: TimeInterval) throws {
        let now = Runtime.current.uptime
        // Ten seconds ago, by a clock that has been set since.
        let beginning = Date() + seconds - 10
        let clock = SessionTaskClock(date: beginning, uptime: now - 10)
        let request = URLRequest(url: try #require(URL(string: "http://h/")))
        func exchange(_ endTime: TimeInterval, _ total: TimeInterval) -> TransferExchange {
            TransferExchange(
                request: request, url: request.url,
                head: ResponseHead(statusCode: 200, httpVersion: "1.1", rawFields: []),
                timings: TransferTimings(firstByte: total / 2, total: total), uploadLength: 0, usesProxy: false,
                endTime: endTime)
        }
        var stored = exchange(now - 6, 0)
        stored.lookupTime = now - 7
        let exchanges = [exchange(now - 8, 2), stored, exchange(now - 1, 4)]
        let metrics = SessionTaskMetrics(exchanges, clock: clock).urlSessionTaskMetrics
        let interval = metrics.taskInterval
        #expect(interval.start == beginning && (10..<20).contains(interval.duration))
        let transactions = metrics.transactionMetrics
        func since(_ date: Date?) -> TimeInterval? {
            date.map { ($0.timeIntervalSince(beginning) * 1000).rounded() / 1000 }
        }
        #expect(transactions.map { since($0.fetchStartDate) } == [0, 3, 5])
        #expect(transactions.map { since($0.responseStartDate) } == [1, nil, 7])
        #expect(transactions.map { since($0.responseEndDate) } == [2, 4, 9])
    }
}
