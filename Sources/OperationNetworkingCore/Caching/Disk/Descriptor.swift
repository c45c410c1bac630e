// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport

/// An open file, closed with the last reference.
final class Descriptor: Sendable {
    let number: Int32

    /// Nil: the file cannot be opened, or is not accepted. Symbolic links are not followed, and only regular files of
    /// this user that no other user can write are accepted.
    init?(_ path: String, _ flags: Int32) {
        // Not blocking, in case it is a pipe.
        let number = open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard number >= 0 else { return nil }
        self.number = number
        guard let status, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o022 == 0
        else { return nil }
    }

    deinit { close(number) }

    private var status: stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }

    /// Nil: the file has no name any more.
    var stamp: SegmentStamp? { status.flatMap { $0.st_nlink == 0 ? nil : SegmentStamp($0) } }

    /// Takes the file's lock until the file is closed. False: another descriptor has it.
    func lock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 }

    /// Takes the lock, and waits until no other descriptor has it.
    func waitForLock() -> Bool {
        while flock(number, LOCK_EX) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }

    /// Nil: there are not so many bytes.
    func read(_ count: Int, at offset: Int) -> [UInt8]? {
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            isWhole = read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            initialized = isWhole ? count : 0
        }
        return isWhole ? bytes : nil
    }

    func readData(_ count: Int, at offset: Int) -> Data? {
        guard count > 0 else { return Data() }
        var data = Data(count: count)
        return data.withUnsafeMutableBytes { read(into: $0, at: offset) } ? data : nil
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
        FileIO.fill(buffer, from: number, at: Int64(offset)) == buffer.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        FileIO.write(bytes, to: number, at: Int64(offset))
    }

    func write(_ bytes: [UInt8], at offset: Int) -> Bool { bytes.withUnsafeBytes { write($0, at: offset) } }

    func truncate(to length: Int) { _ = ftruncate(number, off_t(length)) }
}

/// The properties of a file that change with its contents.
struct SegmentStamp: Equatable, Sendable {
    let size: Int
    private let inode: UInt64
    private let seconds: Int
    private let nanoseconds: Int

    init(_ status: stat) {
        size = Int(status.st_size)
        inode = UInt64(status.st_ino)
        seconds = Int(status.st_mtim.tv_sec)
        nanoseconds = Int(status.st_mtim.tv_nsec)
    }
}
