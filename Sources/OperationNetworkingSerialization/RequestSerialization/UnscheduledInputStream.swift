// SPDX-License-Identifier: MIT
internal import Foundation

/// The common base of the library's own input streams: they are read, and make no callbacks.
class UnscheduledInputStream: InputStream {
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }

    // The stream makes no callbacks: it has no delegate and no run loop.

    override var delegate: (any StreamDelegate)? {
        get { nil }
        set {}
    }

    override func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) {}

    override func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) {}

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }
}
