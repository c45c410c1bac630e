// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// FILE.part while it is put together, with its note: where content goes until all of it is there.
///
/// Only a regular file of this user's with one name is written to, and only by one process at a time: others find it locked.
/// What is there already and others may have written to gives its name to a new file.
/// Everything is reached from the open folder, by names without a way in them.
// Sendable because nothing of it changes, and the system calls may come from any thread.
final class PartFile: Sendable {
    /// Why it cannot be written.
    struct Failure: Error {
        let message: String
    }

    private let folder: Int32
    private let file: Int32
    private let name: String
    /// For messages.
    private let path: String
    /// Nil: nothing can be noted of it.
    private let identity: FileIdentity?

    private var partName: String { name + ".part" }
    private var noteName: String { name + ".part.json" }

    /// Opens the file, or makes it.
    ///
    /// - Parameters:
    ///   - folder: open; closed with this.
    ///   - name: of the complete file, in the folder.
    ///   - path: the same, for messages.
    init(in folder: Int32, name: String, path: String) throws(Failure) {
        var opened: Int32?
        do throws(Failure) {
            // Another process may just be done with the file of that name: then there is none, or a new one. There is
            // none, either, when the name was taken from a file that others may have written to.
            for _ in 0..<8 where opened == nil {
                opened = try Self.open(name + ".part", in: folder, path: path + ".part")
            }
        } catch {
            close(folder)
            throw error
        }
        guard let opened else {
            close(folder)
            throw Failure(message: "\(path).part: is replaced all the time")
        }
        self.folder = folder
        self.name = name
        self.path = path
        file = opened
        identity = FileIdentity(descriptor: opened)
    }

    deinit {
        close(file)
        close(folder)
    }

    /// Nil: it is not the file of that name any more, or does not keep that name.
    private static func open(_ name: String, in folder: Int32, path: String) throws(Failure) -> Int32? {
        // What this makes is its own, whatever owner and mode the file system gives to all of its files.
        let made = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard made >= 0 || errno == EEXIST else {
            throw Failure(message: "\(path): \(String(cString: strerror(errno)))")
        }
        guard let file = try made >= 0 ? made : openEarlier(name, in: folder, path: path) else { return nil }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(file)
            let reason = code == EWOULDBLOCK ? "another download writes to it" : String(cString: strerror(code))
            throw Failure(message: "\(path): \(reason)")
        }
        guard isNamed(name, in: folder, file) else {
            close(file)
            return nil
        }
        guard made >= 0 || isOwn(file) else {
            // This user's, and written by no other process: what has it under another name keeps it.
            unlinkat(folder, name, 0)
            close(file)
            return nil
        }
        return file
    }

    /// Opens one that is there already; nil: it is not there any more.
    private static func openEarlier(_ name: String, in folder: Int32, path: String) throws(Failure) -> Int32? {
        let file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure(message: "\(path): \(errno == ELOOP ? "is a link" : String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            close(file)
            throw Failure(message: "\(path): is there already, and is not a file of this user's")
        }
        return file
    }

    /// Whether nobody else can have written to an open file of this user's, through its mode or another name.
    private static func isOwn(_ file: Int32) -> Bool {
        var status = stat()
        return fstat(file, &status) == 0 && status.st_nlink == 1 && status.st_mode & 0o022 == 0
    }

    /// Whether a name is that of an open file, whose inode no other one gets meanwhile.
    private static func isNamed(_ name: String, in folder: Int32, _ file: Int32) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(file, &opened) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0
            && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
    }

    private func failure(_ code: Int32) -> Failure {
        Failure(message: "\(path): cannot be written: \(String(cString: strerror(code)))")
    }

    // MARK: Content

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Failure) {
        var position = 0
        while position < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            let count = pwrite(file, rest.baseAddress, rest.count, off_t(offset) + off_t(position))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(count == 0 ? EIO : errno) }
            position += count
        }
    }

    /// Lets go of what is there: the download begins anew.
    func clear() throws(Failure) {
        unlinkat(folder, noteName, 0)
        guard ftruncate(file, 0) == 0 else { throw failure(errno) }
    }

    private var size: Int64 {
        var status = stat()
        return fstat(file, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// The digest of the content; nil when `progress` ended the reading.
    func digest(_ algorithm: Checksum.Algorithm, progress: (Int64) -> Bool) throws -> Data? {
        guard lseek(file, 0, SEEK_SET) == 0 else { throw failure(errno) }
        return try FileDigest.digest(algorithm, of: file, path: path + ".part", progress: progress)
    }

    /// Puts the complete content into place, at once and as a whole.
    func commit(size: Int64) throws(Failure) {
        guard ftruncate(file, off_t(size)) == 0 else { throw failure(errno) }
        guard Self.isNamed(partName, in: folder, file) else {
            throw Failure(message: "\(path).part: was replaced meanwhile")
        }
        guard renameat(folder, partName, folder, name) == 0 else { throw failure(errno) }
        unlinkat(folder, noteName, 0)
    }

    /// Takes everything away.
    func remove() {
        unlinkat(folder, noteName, 0)
        unlinkat(folder, partName, 0)
    }

    // MARK: The note

    /// What an earlier run left of a file from these places; nil: nothing that can be used. A note counts that is this user's,
    /// for this user alone and under one name, as notes are made.
    func remains(at urls: [URL]) -> DownloadPlan.Remains? {
        guard let identity else { return nil }
        let note = openat(folder, noteName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard note >= 0 else { return nil }
        defer { close(note) }
        var status = stat()
        guard fstat(note, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_nlink == 1, status.st_mode & 0o077 == 0, status.st_size <= PartNote.maximumSize
        else { return nil }
        var content = [UInt8](repeating: 0, count: Int(status.st_size))
        guard read(note, &content, content.count) == content.count else { return nil }
        return PartNote(Data(content))?.remains(of: identity, size: size, at: urls)
    }

    /// Notes what is there, at once and as a whole. What cannot be noted is not gone on with by the next run.
    func note(_ remains: DownloadPlan.Remains, at urls: [URL]) {
        guard let identity, let data = PartNote(remains, of: identity, at: urls).data() else { return }
        let fresh = noteName + ".new"
        unlinkat(folder, fresh, 0)
        let note = openat(folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard note >= 0 else { return }
        let isWritten = data.withUnsafeBytes { Glibc.write(note, $0.baseAddress, $0.count) } == data.count
        close(note)
        guard isWritten, renameat(folder, fresh, folder, noteName) == 0 else {
            unlinkat(folder, fresh, 0)
            return
        }
    }

    /// Takes the file away if nothing is in it.
    func removeIfEmpty() {
        if size == 0 { remove() }
    }
}
