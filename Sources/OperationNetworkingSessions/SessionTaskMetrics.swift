// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

/// The metrics of a task's requests, as they were collected.
struct SessionTaskMetrics: Sendable {
    /// In order: the redirected and the challenged ones, too.
    let exchanges: [TransferExchange]
    let clock: SessionTaskClock
    let end: Date

    init(_ exchanges: [TransferExchange], clock: SessionTaskClock) {
        self.exchanges = exchanges
        self.clock = clock
        end = clock.date(at: Runtime.current.uptime)
    }
}

/// The date at a task's beginning, from which all of its dates are computed: setting the machine's clock moves none of
/// them.
struct SessionTaskClock: Sendable {
    let date: Date
    /// At the same moment, in seconds.
    let uptime: TimeInterval

    init(date: Date = Date(), uptime: TimeInterval = Runtime.current.uptime) {
        self.date = date
        self.uptime = uptime
    }

    func date(at uptime: TimeInterval) -> Date { date + (uptime - self.uptime) }
}
