// SPDX-License-Identifier: MIT
internal import CLinux
internal import Glibc

/// Tells a file from every other that was ever under its name: the inode, and the time of its making to the nanosecond.
/// No program can foretell that time, so a file from an archive or a copy never has a given identity.
package struct FileIdentity: Sendable, Equatable, Codable {
    /// A moment of the file system's clock.
    package struct Birth: Sendable, Equatable, Codable {
        package var seconds: Int64
        package var nanoseconds: UInt32
    }

    package var inode: UInt64
    /// Nil on file systems that do not keep it, such as NFS 3: there the device takes its place.
    package var birth: Birth?
    /// Only without `birth`, because the number may be another after a restart of the system.
    package var device: UInt64?

    /// Nil when the descriptor is not valid.
    package init?(descriptor: Int32) {
        // Not stat(2), which does not know when, and whose structure belongs to one module or another depending on what
        // else is imported.
        var (number, owner): (UInt64, UInt64) = (0, 0)
        var (seconds, nanoseconds): (Int64, UInt32) = (0, 0)
        let result = on_file_identity(descriptor, &number, &owner, &seconds, &nanoseconds)
        guard result >= 0 else { return nil }
        inode = number
        if result == 1 {
            birth = Birth(seconds: seconds, nanoseconds: nanoseconds)
        } else {
            device = owner
        }
    }
}
