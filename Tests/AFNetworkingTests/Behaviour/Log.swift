// SPDX-License-Identifier: MIT
import AFNetworking

/// What blocks noted, in order.
// Sendable because the lines are behind a lock.
final class Log: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    func add(_ line: String) { lock.withLock { lines.append(line) } }
    var all: [String] { lock.withLock { lines } }
    func contains(_ line: String) -> Bool { all.contains(line) }
}

/// A value that a block hands out.
// Sendable because the value is behind a lock, and whoever reads it does so after the block.
final class Box<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value?

    var value: Value? {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}
