// SPDX-License-Identifier: MIT
internal import Foundation

/// Waits for a number of events.
// Sendable because `left` is guarded by `lock`.
final class Countdown: @unchecked Sendable {
    private let lock = NSLock()
    private var left: Int
    private let done = DispatchSemaphore(value: 0)

    init(_ count: Int) {
        left = count
        if count == 0 { done.signal() }
    }

    var remaining: Int { lock.withLock { left } }

    func count() {
        let isLast = lock.withLock {
            left -= 1
            return left == 0
        }
        if isLast { done.signal() }
    }

    /// False: it took longer than `seconds`.
    func wait(seconds: Double) -> Bool {
        done.wait(timeout: .now() + seconds) == .success
    }
}
