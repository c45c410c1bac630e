// SPDX-License-Identifier: MIT
internal import CStatx

/// Tells a file from every other that was ever under its name: the inode, and when it was made to the nanosecond. Nobody can
/// foretell that who was not there, so that a file from an archive or a copy never has a given identity: on a file system
/// that was just made, inode and device can be foretold.
///
/// The library's own notes go by the same.
struct FileIdentity: Codable, Sendable, Equatable {
    /// A moment of the file system's clock.
    struct Birth: Codable, Sendable, Equatable {
        let seconds: Int64
        let nanoseconds: UInt32
    }

    let inode: UInt64
    /// Nil on file systems that do not keep it, such as NFS 3: there the device takes its place.
    let birth: Birth?
    /// Only without `birth`, because the number may be another after a restart of the system.
    let device: UInt64?

    /// Nil when the system does not tell.
    init?(descriptor: Int32) {
        var (inode, device): (UInt64, UInt64) = (0, 0)
        var (seconds, nanoseconds): (Int64, UInt32) = (0, 0)
        let result = batchget_file_identity(descriptor, &inode, &device, &seconds, &nanoseconds)
        guard result >= 0 else { return nil }
        self.inode = inode
        birth = result == 1 ? Birth(seconds: seconds, nanoseconds: nanoseconds) : nil
        self.device = result == 1 ? nil : device
    }
}
