// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// A terminal behind a file descriptor.
package struct Terminal: Sendable {
    private let descriptor: Int32

    /// Nil when there is none, or one that cannot move its cursor.
    package init?(_ descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard isatty(descriptor) == 1, let kind = environment["TERM"], kind != "dumb", !kind.isEmpty else { return nil }
        self.descriptor = descriptor
    }

    /// Its size at this moment; 80 by 24 where it does not tell.
    package var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (80, 24) }
        return (size.ws_col > 0 ? Int(size.ws_col) : 80, size.ws_row > 0 ? Int(size.ws_row) : 24)
    }
}

/// Writes text to a file descriptor; what cannot be written is dropped.
package func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            bytes = bytes.dropFirst(count)
        } else if errno == EAGAIN {
            // A terminal that another program made non-blocking.
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&request, 1, -1)
        } else if errno != EINTR {
            return
        }
    }
}
