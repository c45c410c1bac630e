// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport
internal import NetworkingTransport

/// Access to the file on the disk. It belongs to this user, is closed to other users, and is replaced as a whole.
extension CookieFile {
    /// Bytes that are read: more than all cookies that a storage keeps.
    private static let maximumLength = 64 << 20

    /// The content; nil: there is no file.
    func read() throws(CookieFileError) -> Data? {
        // Not blocking, in case it is no file.
        let descriptor = open(url.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw notPrivate("is a symbolic link")
            default: throw failure(.notReadable, "cannot be opened")
            }
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(.notReadable, "cannot be looked at") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw notPrivate("is no regular file") }
        guard status.st_uid == geteuid() else { throw notPrivate("belongs to another user") }
        guard status.st_nlink == 1 else { throw notPrivate("has other names (hard links)") }
        guard status.st_mode & 0o077 == 0 else { throw notPrivate("has permissions for other users (chmod 600)") }
        guard status.st_size <= Self.maximumLength else { throw damaged("is too long for a file of cookies") }
        do {
            return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data()
        } catch {
            throw CookieFileError(
                code: .notReadable, reason: "\(url.path) cannot be read: \(error.localizedDescription)",
                underlyingError: error)
        }
    }

    /// Replaces the file, or leaves it as it is.
    func write(_ data: Data) throws(CookieFileError) {
        let path = url.path
        try makeFolder(url.deletingLastPathComponent().path)
        // A new file for its owner only, under a name that cannot be guessed.
        let temporary = FileName.path(path, with: ".\(UUID().uuidString)")
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(.notWritable, "cannot be written") }
        let isWritten = Self.write(data, to: descriptor)
        let writing = errno
        let isClosed = close(descriptor) == 0
        guard isWritten, isClosed else {
            if !isWritten { errno = writing }
            let failure = failure(.notWritable, "cannot be written")
            unlink(temporary)
            throw failure
        }
        guard rename(temporary, path) == 0 else {
            let failure = failure(.notWritable, "cannot be replaced")
            unlink(temporary)
            throw failure
        }
    }

    /// Writes the data to the disk. Returns true if all of it is there; if not, the reason is in `errno`.
    private static func write(_ data: Data, to descriptor: Int32) -> Bool {
        data.withUnsafeBytes { FileIO.write($0, to: descriptor) } && fsync(descriptor) == 0
    }

    /// Makes the folders that are missing, for their owner only.
    private func makeFolder(_ path: String) throws(CookieFileError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard errno == ENOENT, parent != path else { throw failure(.notWritable, "has no folder") }
        try makeFolder(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(.notWritable, "has no folder") }
    }

    /// A failure of the system's, which `errno` names.
    private func failure(_ code: CookieFileError.Code, _ what: String) -> CookieFileError {
        let reason = String(cString: strerror(errno))
        return CookieFileError(
            code: code, reason: "\(url.path) \(what): \(reason). Check the folder's permissions and space.")
    }

    private func notPrivate(_ what: String) -> CookieFileError {
        CookieFileError(
            code: .notPrivate,
            reason:
                "\(url.path) \(what), so that its cookies may not be this user's. Remove it, or make it private.")
    }
}
