// SPDX-License-Identifier: MIT
internal import Glibc

/// Which file it is, whatever it is called.
struct FileIdentity: Equatable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
