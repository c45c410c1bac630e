// SPDX-License-Identifier: MIT
import Foundation

/// A value behind a lock.
// Sendable because `value` is touched only with `lock` held, and only values that may change threads get in.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    /// Guarded by `lock`.
    private var value: Value

    init(_ value: consuming sending Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
