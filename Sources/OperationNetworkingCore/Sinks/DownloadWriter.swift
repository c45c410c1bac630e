// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import Glibc
internal import NetworkingSupport
internal import NetworkingTransport

/// Writes a download to its partial file, and moves it to the target when it is complete.
final class DownloadWriter: ByteWriter {
    private let destination: DownloadDestination
    private let partial: PartialFile
    private var descriptor: Int32 = -1
    /// The representation that is being written; nil when it cannot be continued later.
    private var representation: Representation?
    /// The note of what is being written is not there. Content that is written in one piece is complete without one,
    /// which spares making a file and removing it for each small download.
    private var isNoteDue = false
    /// True if there may be a note: an earlier one, or one that was written.
    private var mayHaveNote = true

    init(_ destination: DownloadDestination, partial: PartialFile) {
        self.destination = destination
        self.partial = partial
        representation = partial.representation
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    var canRestart: Bool { true }

    func open() throws {
        try refuseExistingTarget()
        try refuseSpecialTarget()
        try openLocked()
        let size = partial.representation?.offset ?? 0
        guard size == 0 || partial.continued(descriptor) == partial.representation else {
            throw DownloadError(reason: "another download changed the partial file meanwhile", path: partial.path)
        }
        try truncate(to: size)
    }

    /// Cuts the partial file, and goes on writing there. Not where nothing is to be cut: a file that was truncated, be
    /// it from nothing to nothing, is written to the disk by ext4 when it is closed, while its writer waits.
    private func truncate(to size: Int64) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            Int64(status.st_size) == size || ftruncate(descriptor, off_t(size)) == 0,
            lseek(descriptor, off_t(size), SEEK_SET) == off_t(size)
        else { throw Self.failure("truncate", partial.path) }
    }

    /// Opens the partial file and makes it this download's alone. Nothing is written through a link, into another
    /// user's file, or into one that others may write to.
    private func openLocked() throws {
        // Each round but the last found that another program moved or removed the file meanwhile.
        for _ in 0..<Self.maximumRounds {
            let (file, isNew) = try openPart()
            guard file >= 0 else { continue }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                let error = Self.failure("lock (another download writes to it)", partial.path)
                close(file)
                throw error
            }
            // Between the two calls another download may have moved it to the target: then it is not the partial file
            // any more.
            guard Self.isFile(file, at: partial.path) else {
                close(file)
                continue
            }
            switch isNew ? .own : FileOwnership(of: file) {
            case .own:
                descriptor = file
                return
            case .shared:
                // This user's, so its name may be given to a new file; what has it under another name keeps it.
                unlink(partial.path)
                close(file)
            case .foreign(let what):
                close(file)
                throw obstructed(what)
            }
        }
        throw obstructed("is replaced by others all the time")
    }

    private static let maximumRounds = 100

    /// Makes the partial file, or opens the one that is there; -1: it was there, and is gone.
    private func openPart() throws -> (descriptor: Int32, isNew: Bool) {
        let new = Glibc.open(partial.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        if new >= 0 { return (new, true) }
        guard errno == EEXIST else { throw Self.failure("open", partial.path) }
        let file = Glibc.open(partial.path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if file < 0, errno == ELOOP { throw obstructed("is a symbolic link") }
        guard file >= 0 || errno == ENOENT else { throw Self.failure("open", partial.path) }
        return (file, false)
    }

    /// Returns true if a path names the open file itself.
    private static func isFile(_ file: Int32, at path: String) -> Bool {
        var (own, named) = (stat(), stat())
        return fstat(file, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }

    private func obstructed(_ what: String) -> DownloadError {
        DownloadError(
            reason: "\(partial.path) \(what), so the download cannot be written to it; remove it, or choose another "
                + "target", path: partial.path)
    }

    func begin(_ representation: Representation?) throws {
        try truncate(to: 0)
        // One of before must not be taken for a note of what follows.
        if mayHaveNote {
            errno = partial.removeNote()
            if errno != 0 { throw Self.failure("remove the note", partial.notePath) }
        }
        mayHaveNote = false
        self.representation = representation
        isNoteDue = representation != nil
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        // Here is the whole content, or there is something to lose.
        if representation?.totalLength != Int64(bytes.count) { try writeNote() }
        guard FileIO.write(bytes, to: descriptor) else { throw Self.failure("write to", partial.path) }
    }

    private func writeNote() throws {
        guard isNoteDue else { return }
        isNoteDue = false
        mayHaveNote = true
        errno = partial.note(representation, of: descriptor)
        if errno != 0 { throw Self.failure("write the note", partial.notePath) }
    }

    func commit() throws {
        try verify()
        try moveIntoPlace()
        close(descriptor)
        descriptor = -1
    }

    /// Removes the note before the file gets the target's name: from then on another download may have a partial file
    /// and a note under the names of this one's. If the file stays, `abandon()` writes the note again.
    private func withdrawNote() {
        guard mayHaveNote else { return }
        _ = partial.removeNote()
        mayHaveNote = false
        isNoteDue = representation != nil
    }

    func abandon() {
        guard descriptor >= 0 else { return }
        defer {
            close(descriptor)
            descriptor = -1
        }
        // What others have put there meanwhile is theirs.
        guard Self.isFile(descriptor, at: partial.path) else { return }
        var status = stat()
        let isEmpty = fstat(descriptor, &status) != 0 || status.st_size == 0
        if isEmpty || representation == nil { return partial.remove() }
        // Without a note it is of no use.
        do { try writeNote() } catch { partial.remove() }
    }

    private func verify() throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("examine", partial.path) }
        if let total = representation?.totalLength, Int64(status.st_size) != total {
            throw DownloadError(
                reason: "\(status.st_size) bytes were received of \(total)", path: partial.path,
                code: .networkConnectionLost)
        }
        guard let expected = destination.sha256 else { return }
        var digest = SHA256Hasher()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var position: Int64 = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { FileIO.read(descriptor, into: $0, at: position) }
            guard count >= 0 else { throw Self.failure("read", partial.path) }
            if count == 0 { break }
            buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
            position += Int64(count)
        }
        let actual = try digest.finish()
        guard actual == expected else {
            representation = nil
            throw DownloadError(
                reason:
                    "the content has the SHA-256 digest \(Self.hex(actual)), not \(Self.hex(expected)); check the digest "
                    + "that was asked for, or where the file comes from",
                path: partial.path, code: .cannotDecodeRawData)
        }
    }

    private func moveIntoPlace() throws {
        // The names are not the file: a program that may change the folder can have put another file under them.
        guard Self.isFile(descriptor, at: partial.path) else { throw replaced() }
        try refuseSpecialTarget()
        if destination.existingFile == .replace { keepPermissions() }
        withdrawNote()
        switch destination.existingFile {
        case .replace:
            guard rename(partial.path, partial.targetPath) == 0 else {
                throw Self.failure("move into place", partial.targetPath)
            }
        case .refuse:
            errno = FileMove.withoutReplacing(partial.path, to: partial.targetPath)
            if errno != 0 { throw Self.failure("create", partial.targetPath) }
        }
        guard Self.isFile(descriptor, at: partial.targetPath) || !isForeign(partial.targetPath) else {
            throw replaced()
        }
    }

    /// Gives the new file the permissions of the file that it replaces, at most 644: users who could not read the old
    /// file cannot read the new one.
    private func keepPermissions() {
        var status = stat()
        guard lstat(partial.targetPath, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            FileOwnership(status) == .own
        else { return }
        _ = fchmod(descriptor, status.st_mode & 0o644)
    }

    /// Returns true if a path has a file that another user may have written. Another download of this user may have
    /// moved its file there since, or a program that waited for the file may have taken it away.
    private func isForeign(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && FileOwnership(status) != .own
    }

    private func replaced() -> DownloadError {
        DownloadError(
            reason: "somebody replaced \(partial.path) while the download was written to it; choose a folder that only "
                + "you can write to", path: partial.path)
    }

    private func refuseExistingTarget() throws {
        guard destination.existingFile == .refuse, access(partial.targetPath, F_OK) == 0 else { return }
        errno = EEXIST
        throw Self.failure("create", partial.targetPath)
    }

    /// A device, pipe or socket is not to be replaced by a file.
    private func refuseSpecialTarget() throws {
        var status = stat()
        // Also what a link leads to, such as /dev/stdout.
        guard stat(partial.targetPath, &status) == 0 || lstat(partial.targetPath, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK:
            throw DownloadError(
                reason: "\(partial.targetPath) is a device, pipe or socket, which a download does not replace; "
                    + "name a file",
                path: partial.targetPath, code: .cannotCreateFile)
        default: break
        }
    }

    private static func failure(_ action: String, _ path: String) -> NSError {
        let code = errno
        return NSError.described(
            domain: NSPOSIXErrorDomain, code: Int(code), "cannot \(action) \(path): \(String(cString: strerror(code)))",
            [NSFilePathErrorKey: path])
    }

    private static func hex(_ data: Data) -> String {
        data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

/// The reason that a received file is not the one that was asked for.
struct DownloadError: Error, LocalizedError, CustomStringConvertible, _BridgedError {
    let reason: String
    let path: String
    /// The code of a `URLError` over this one: another code when the content has come, and is not what it was to be.
    var code = URLError.Code.cannotWriteToFile

    var description: String { ErrorLine.oneLine(reason) }
    var errorDescription: String? { description }
}
