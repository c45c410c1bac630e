// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// What a task's requests took, as it was collected.
struct SessionTaskMetrics: Sendable {
    /// In order: the redirected and the challenged ones, too.
    let exchanges: [TransferExchange]
    let beginning: Date
    let end: Date

    init(_ exchanges: [TransferExchange], beginning: Date) {
        self.exchanges = exchanges
        self.beginning = beginning
        end = Date()
    }
}
