// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport
internal import NetworkingTransport

/// The note next to a partial file: what the file is a part of, and which file that is.
struct PartialNote: Codable, Equatable {
    /// The validator that `If-Range` is sent with.
    var validator: String
    /// All bytes, when known.
    var totalLength: Int64?
    /// The resource that was asked for: a digest of the URL; nil without a URL.
    var resource: String?
    /// The resource that answered: see `Representation.source`. Nil in notes of earlier versions.
    var source: String?
    /// The file that the note is about, so that another one under its name does not count.
    var file: FileIdentity

    /// Bytes of a note. A longer one is neither written nor read.
    private static let maximumSize = 16_384

    init(_ representation: Representation, resource: String?, file: FileIdentity) {
        validator = representation.validator
        totalLength = representation.totalLength
        self.resource = resource
        source = representation.source
        self.file = file
    }

    /// Reads a note; nil unless it is one that this user wrote and no other user can have changed.
    init?(at path: String) {
        // A pipe under that name would be waited for without O_NONBLOCK.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard FileOwnership(of: descriptor) == .own, let content = Self.content(of: descriptor) else { return nil }
        self.init(content)
    }

    /// Nil for what is no note, or has values that no note has.
    init?(_ content: Data) {
        guard content.count <= Self.maximumSize,
            let note = try? JSONDecoder().decode(PartialNote.self, from: JSONText.parsable(content)),
            !note.validator.isEmpty, Representation.isValidator(note.validator),
            note.totalLength ?? 0 >= 0
        else { return nil }
        self = note
    }

    private static func content(of descriptor: Int32) -> Data? {
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while content.count <= maximumSize {
            let count = buffer.withUnsafeMutableBytes { FileIO.read(descriptor, into: $0) }
            guard count >= 0 else { return nil }
            if count == 0 { return content }
            content += buffer.prefix(count)
        }
        return nil
    }

    /// Writes the note as a new file that only this user can read.
    ///
    /// - Returns: 0, or the error number.
    func write(to path: String) -> Int32 {
        guard let content = try? JSONEncoder().encode(self), content.count <= Self.maximumSize else {
            unlink(path)
            return 0
        }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        var descriptor = open(path, flags, 0o600)
        if descriptor < 0, errno == EEXIST, unlink(path) == 0 { descriptor = open(path, flags, 0o600) }
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return content.withUnsafeBytes { FileIO.write($0, to: descriptor) } ? 0 : errno
    }
}

/// The users who may have written what an open file contains.
enum FileOwnership: Equatable {
    /// This user alone.
    case own
    /// This user, and others through its mode or another name.
    case shared
    /// Another user, or it is not a file.
    case foreign(String)

    init(of descriptor: Int32) {
        var status = stat()
        self = fstat(descriptor, &status) == 0 ? FileOwnership(status) : .foreign("cannot be examined")
    }

    init(_ status: stat) {
        if status.st_mode & S_IFMT != S_IFREG {
            self = .foreign("is not a regular file")
        } else if status.st_uid != geteuid() {
            self = .foreign("belongs to another user")
        } else {
            self = status.st_nlink == 1 && status.st_mode & (S_IWGRP | S_IWOTH) == 0 ? .own : .shared
        }
    }
}
