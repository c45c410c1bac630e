// SPDX-License-Identifier: MIT
internal import Glibc
internal import NetworkingSupport

/// Lengths of regular files.
package enum FileLength {
    /// The length of a regular file; nil: it has content, and the system says 0, as of what is in `/proc`.
    ///
    /// - Parameter size: what the system says.
    package static func known(of path: String, size: Int64) -> Int64? {
        size == 0 && hasContent(path) ? nil : size
    }

    private static func hasContent(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        return withUnsafeMutableBytes(of: &byte) { FileIO.read(descriptor, into: $0) } > 0
    }
}
