// SPDX-License-Identifier: MIT
internal import Foundation

/// A value behind a lock that threads can also wait on.
// Sendable because `value` is touched only with `condition` held, and only values that may change threads get in.
final class Monitor<Value>: @unchecked Sendable {
    private let condition = NSCondition()
    /// Guarded by `condition`.
    private var value: Value

    init(_ value: consuming sending Value) {
        self.value = value
    }

    /// Runs `body` with exclusive access to the value, and wakes everybody who waits for a change.
    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return try body(&value)
    }

    /// Blocks the calling thread until `body` returns a value, or the time is up.
    func wait<Result>(timeout: TimeInterval, until body: (inout Value) -> Result?) -> Result? {
        let deadline = Date(timeIntervalSinceNow: timeout)
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let result = body(&value) { return result }
            guard condition.wait(until: deadline) else { return body(&value) }
        }
    }
}
