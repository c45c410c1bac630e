// SPDX-License-Identifier: MIT
internal import Foundation

/// A gate that opens once and stays open.
// Sendable because `isOpen` is touched only with `condition` held.
package final class Latch: @unchecked Sendable {
    private let condition = NSCondition()
    /// Guarded by `condition`.
    private var isOpen = false

    package init() {}

    /// Lets every present and future waiter through.
    package func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }

    /// Blocks the calling thread until the latch is open.
    package func wait() {
        condition.withLock {
            while !isOpen { condition.wait() }
        }
    }
}
