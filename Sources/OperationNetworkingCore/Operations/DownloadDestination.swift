// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport

/// A file that an operation's response goes to, instead of memory.
///
/// The content is written to a file in the target's directory, named after the target with ".part" at the end. If that
/// name would be too long for a file, it is the beginning of the name and a digest of it. The file is moved into place
/// when it is complete and verified: nothing incomplete is ever found under the target's name.
///
/// After a failure, a cancellation or a kill the partial file stays, with a note of what it is a part of in
/// ".part.json". The next operation for the same URL and target continues it, if the server still has the same
/// representation; otherwise it starts anew. Content that comes in one piece needs no note. Both files are removed at
/// the end. A response with a bad status does not touch the files: its content is collected in `responseData`.
///
/// A partial file that another program put there is not continued. A link, or a file of another user, in its place
/// fails the operation with `URLError.cannotWriteToFile` and is left alone.
///
/// ```swift
/// operation.responseSerializer = HTTPResponseSerializer()
/// operation.downloadDestination = DownloadDestination(fileURL: file)
/// ```
public struct DownloadDestination: Sendable, Codable, Equatable {
    /// A rule for a target that exists already.
    public enum ExistingFile: String, Sendable, Codable {
        /// It is replaced, at once and as a whole, when the download is complete.
        case replace
        /// The operation fails with `URLError.cannotCreateFile` and leaves it alone.
        case refuse
    }

    /// The target.
    public var fileURL: URL
    /// A rule for a target that exists already. `.replace` by default.
    public var existingFile: ExistingFile
    /// The SHA-256 digest that the content must have, 32 bytes. A mismatch fails the operation and removes the partial
    /// file. Nil by default.
    public var sha256: Data?
    /// True if a partial file of an earlier attempt is continued. True by default.
    public var continuesPartialFile: Bool

    /// A target and its rules.
    public init(
        fileURL: URL, existingFile: ExistingFile = .replace, sha256: Data? = nil, continuesPartialFile: Bool = true
    ) {
        self.fileURL = fileURL
        self.existingFile = existingFile
        self.sha256 = sha256
        self.continuesPartialFile = continuesPartialFile
    }
}

extension URLConnectionOperation {
    /// The file that the response's content goes to. Nil by default. Takes precedence over `outputStream`; has no
    /// effect once the transfer began.
    public var downloadDestination: DownloadDestination? {
        get { lock.withLock { _configuration.value.downloadDestination } }
        set {
            lock.withLock {
                _mutableConfiguration.downloadDestination = newValue
                _unarchivedProperties.remove(.downloadDestination)
            }
        }
    }
}

extension URLConnectionOperation {
    /// Removes the part that a download has left next to its target for another one to continue.
    ///
    /// For an operation that has finished, and for one that was cancelled: if it has not ended yet, the part goes when
    /// it does, before its completion blocks run. An operation that is neither is not affected, and one without a
    /// ``downloadDestination`` has no part. Files that are not this URL's and target's, or that another download writes
    /// to, stay. Blocks for as long as the file system takes. Calling it again changes nothing.
    public func discardPartialDownload() {
        guard lock.withLock({ _machine.discardPart() }) else { return }
        removePart()
    }

    func removePart() {
        let (destination, url) = lock.withLock { (_configuration.value.downloadDestination, _request.url) }
        if let destination { PartialFile(clean: destination, of: url).discard() }
    }
}

extension DownloadDestination {
    /// Returns true if the target is a file directly in this directory, whatever links there are on the way to it.
    package func isDirectly(in directory: URL) -> Bool {
        guard fileURL.isFileURL, directory.isFileURL else { return false }
        let name = fileURL.lastPathComponent
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0 || $0 == 0x2F }) else {
            return false
        }
        func place(_ url: URL) -> String { url.resolvingSymlinksInPath().standardizedFileURL.path }
        return place(fileURL.deletingLastPathComponent()).hasOctets(of: place(directory))
    }
}
