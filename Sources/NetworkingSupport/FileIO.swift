// SPDX-License-Identifier: MIT
internal import Glibc

/// Reads and writes of descriptors that go on when a signal interrupts them (`EINTR`).
package enum FileIO {
    /// Reads once.
    ///
    /// - Parameter offset: The place in the file; nil: the descriptor's.
    /// - Returns: The number of bytes, 0 at the end; -1: the reason is in `errno`.
    package static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64? = nil
    ) -> Int {
        while true {
            let count =
                if let offset {
                    pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
                } else {
                    Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                }
            guard count < 0, errno == EINTR else { return count }
        }
    }

    /// Reads until the buffer is full or the file ends.
    ///
    /// - Returns: The number of bytes; nil: the reason is in `errno`.
    package static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int64? = nil
    ) -> Int? {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = read(descriptor, into: rest, at: offset.map { $0 + Int64(done) })
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            done += count
        }
        return done
    }

    /// Writes all bytes.
    ///
    /// - Parameter offset: The place in the file; nil: the descriptor's.
    /// - Returns: False: the reason is in `errno`.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64? = nil
    ) -> Bool {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count =
                if let offset {
                    pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
                } else {
                    Glibc.write(descriptor, rest.baseAddress, rest.count)
                }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return false }
            done += count
        }
        return true
    }
}
