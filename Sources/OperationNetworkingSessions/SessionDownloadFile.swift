// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import OperationNetworkingCore

/// The files of a download task: the one that is handed over, and the partial file and its note while content comes.
enum SessionDownloadFile {
    private static let prefix = "OperationNetworkingDownload_"
    private static let suffix = ".tmp"

    /// Returns the URL of a file with a new name.
    static func newLocation() -> URL {
        folder.appendingPathComponent(prefix + UUID().uuidString + suffix)
    }

    /// The folder of all these files.
    static var folder: URL { URL(fileURLWithPath: NSTemporaryDirectory(), isDirectory: true) }

    /// Returns true if the URL can be that of such a file: resume data must not lead anywhere else.
    static func isLocation(_ url: URL) -> Bool {
        let name = url.lastPathComponent
        return name.utf8.count == prefix.utf8.count + 36 + suffix.utf8.count && name.hasPrefix(prefix)
            && name.hasSuffix(suffix)
            && UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(suffix.count))) != nil
            && DownloadDestination(fileURL: url).isDirectly(in: folder)
    }

    /// A new file for this user alone, to be written to. One that is there is left alone: another task of the same
    /// resume data may write to it.
    ///
    /// - Throws: `CocoaError`, with the path, and the operating system's error as the underlying one.
    static func make(_ location: URL) throws -> FileHandle {
        let path = location.path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw failure(errno, "made", path)
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func failure(_ code: Int32, _ done: String, _ path: String) -> CocoaError {
        CocoaError(
            DownloadedFile.cocoaCode(for: code),
            reason: "The file \(path) could not be \(done): \(String(cString: strerror(code))).",
            userInfo: [
                NSFilePathErrorKey: path, NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code)),
            ])
    }

    /// Completes the file that is handed over.
    ///
    /// - Parameter errorContent: the content of a response that did not go to the file; nil: it did.
    static func complete(_ location: URL, errorContent: Data?) throws {
        if let errorContent {
            try errorContent.write(to: location, options: .withoutOverwriting)
        } else if !FileManager.default.fileExists(atPath: location.path) {
            try Data().write(to: location, options: .withoutOverwriting)
        }
    }

    /// Gives a complete file another name.
    ///
    /// - Parameter mayBeMissing: it may not have been made, because nothing came for it.
    static func move(_ location: URL, to own: URL, mayBeMissing: Bool) throws {
        guard rename(location.path, own.path) != 0 else { return }
        let code = errno
        guard code != ENOENT || !mayBeMissing else { return }
        throw failure(code, "moved", location.path)
    }

    /// Bytes of a complete file.
    static func length(of location: URL) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: location.path)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// Removes the partial file and its note, unless another task of the same resume data writes to them.
    static func removePart(_ location: URL) {
        PartialFile(clean: DownloadDestination(fileURL: location), of: nil).removeUnlessWritten()
    }

    /// Removes the file, unless it was moved away.
    static func removeTarget(_ location: URL) { try? FileManager.default.removeItem(atPath: location.path) }
}
