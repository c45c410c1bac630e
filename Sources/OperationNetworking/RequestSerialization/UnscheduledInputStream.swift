// SPDX-License-Identifier: MIT
internal import Foundation

/// What the library's own input streams have in common: they are read, and call nobody back.
class UnscheduledInputStream: InputStream {
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }

    // The stream calls nobody back: it has no delegate and no run loop.

    override var delegate: (any StreamDelegate)? {
        get { nil }
        set {}
    }

    override func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) {}

    override func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) {}

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }
}
