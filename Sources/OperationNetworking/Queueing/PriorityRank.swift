// SPDX-License-Identifier: MIT
internal import Foundation

/// `Operation.QueuePriority` as a small number, 0 (very low) to 4 (very high).
struct PriorityRank: Comparable, Hashable, Sendable {
    let value: UInt8

    static let lowest = PriorityRank(.veryLow)

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
