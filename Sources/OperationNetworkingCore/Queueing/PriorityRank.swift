// SPDX-License-Identifier: MIT
internal import Foundation

/// `Operation.QueuePriority` as a small number, 0 (very low) to 4 (very high), and a rank above them all.
struct PriorityRank: Comparable, Hashable, Sendable {
    let value: UInt8

    static let lowest = PriorityRank(.veryLow)
    /// The rank of an operation that has kept its connection while it was paused, or that a block of another one waits
    /// for. No limit holds it up: those that have the slots may be waiting for it.
    static let connected = PriorityRank(value: 5)

    private init(value: UInt8) { self.value = value }

    init(_ priority: Operation.QueuePriority) {
        switch priority {
        case .veryLow: value = 0
        case .low: value = 1
        case .normal: value = 2
        case .high: value = 3
        case .veryHigh: value = 4
        @unknown default: value = 2
        }
    }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.value < rhs.value }
}
