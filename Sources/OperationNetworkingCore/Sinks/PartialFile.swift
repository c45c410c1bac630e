// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingTransport

/// The incomplete file next to a download's target, and the note of what it is a part of.
///
/// Other users may be able to put files there. A part counts only if it is a regular file of this user with one name
/// and a mode that lets no other user write, and if a note with the same properties names that very file: see
/// `FileIdentity`.
package struct PartialFile: Sendable {
    /// Names of the three files.
    let targetPath: String
    let path: String
    let notePath: String
    /// The representation that is here already and can be continued; nil: start clean.
    package let representation: Representation?
    /// The resource that is written: see `PartialNote.resource`.
    private let resource: String?

    private static let suffix = ".part"
    private static let noteSuffix = ".part.json"

    /// Looks at the disk for what can be continued of a URL.
    package init(_ destination: DownloadDestination, of url: URL?) {
        let clean = PartialFile(clean: destination, of: url)
        self.init(
            targetPath: clean.targetPath, resource: clean.resource,
            representation: destination.continuesPartialFile ? clean.stored() : nil)
    }

    /// Does not look at the disk.
    package init(clean destination: DownloadDestination, of url: URL?) {
        self.init(
            targetPath: destination.fileURL.path, resource: url.flatMap(Representation.source), representation: nil)
    }

    private init(targetPath: String, resource: String?, representation: Representation?) {
        self.targetPath = targetPath
        path = FileName.path(targetPath, with: Self.suffix, reserve: Self.noteSuffix.utf8.count)
        notePath = FileName.path(targetPath, with: Self.noteSuffix)
        self.resource = resource
        self.representation = representation
    }

    private func stored() -> Representation? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return continued(descriptor)
    }

    /// The representation that an open partial file is the beginning of; nil: it cannot be continued.
    func continued(_ descriptor: Int32) -> Representation? {
        var status = stat()
        guard FileOwnership(of: descriptor) == .own, fstat(descriptor, &status) == 0, status.st_size > 0,
            let note = PartialNote(at: notePath), let resource, note.resource == resource,
            note.file == FileIdentity(descriptor: descriptor)
        else { return nil }
        if let total = note.totalLength, Int64(status.st_size) > total { return nil }
        return Representation(
            // An earlier version's is taken for that of a file without redirects.
            validator: note.validator, source: note.source ?? resource, totalLength: note.totalLength,
            offset: Int64(status.st_size))
    }

    /// Notes what the content of the open partial file is a part of; nil: it cannot be continued.
    ///
    /// - Returns: 0, or the error number.
    func note(_ representation: Representation?, of descriptor: Int32) -> Int32 {
        guard let representation, resource != nil, let file = FileIdentity(descriptor: descriptor) else {
            return removeNote()
        }
        return PartialNote(representation, resource: resource, file: file).write(to: notePath)
    }

    /// Drops what lies behind `offset` in a partial file: it was not there when the offset was noted, so its origin is
    /// not known. Not while a download writes to it.
    package func cut(to offset: Int64) {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, let known = continued(descriptor), known.offset > offset,
            ftruncate(descriptor, off_t(offset)) != 0
        else { return }
        remove()
    }

    /// Removes both files, if they are what a download of this resource has left, and no other one writes to them.
    func discard() { removeUnlessWritten { continued($0) != nil } }

    /// Removes both files, whatever they are, unless another download writes to them.
    package func removeUnlessWritten() { removeUnlessWritten { _ in true } }

    private func removeUnlessWritten(_ isWanted: (_ descriptor: Int32) -> Bool) {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Held until both are gone: no download begins to write to them meanwhile.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isWanted(descriptor) else { return }
        remove()
    }

    /// Removes both files; the note first, since without the file another download may make both anew.
    func remove() {
        _ = removeNote()
        unlink(path)
    }

    /// Removes the note, if it exists: looking does not lock the folder for other programs, removing does.
    ///
    /// - Returns: 0, or the error number.
    func removeNote() -> Int32 {
        var status = stat()
        guard lstat(notePath, &status) == 0, unlink(notePath) != 0, errno != ENOENT else { return 0 }
        return errno
    }
}
