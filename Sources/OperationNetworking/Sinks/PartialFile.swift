internal import Foundation
internal import Glibc

/// The incomplete file beside a download's target, and the note of what it is a part of.
struct PartialFile: Sendable {
    /// Names of the three files.
    let targetPath: String
    let path: String
    let notePath: String
    /// What is here already, and can be continued; nil: start clean.
    let representation: Representation?

    /// Looks at the disk for what can be continued.
    init(_ destination: DownloadDestination) {
        let clean = PartialFile(clean: destination)
        self.init(
            targetPath: clean.targetPath,
            representation: destination.continuesPartialFile
                ? Self.stored(notePath: clean.notePath, path: clean.path) : nil)
    }

    /// Does not look at the disk.
    init(clean destination: DownloadDestination) {
        self.init(targetPath: destination.fileURL.path, representation: nil)
    }

    private init(targetPath: String, representation: Representation?) {
        self.targetPath = targetPath
        path = targetPath + ".part"
        notePath = targetPath + ".part.json"
        self.representation = representation
    }

    private static func stored(notePath: String, path: String) -> Representation? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
            var representation = note(at: notePath)
        else { return nil }
        if let total = representation.totalLength, Int64(status.st_size) > total { return nil }
        representation.offset = Int64(status.st_size)
        return representation
    }

    /// What the content is a part of; nil without a note that can be read.
    static func note(at path: String) -> Representation? {
        FileManager.default.contents(atPath: path).flatMap { try? JSONDecoder().decode(Representation.self, from: $0) }
    }

    /// Notes what the content is a part of; nil: it cannot be continued.
    func note(_ representation: Representation?) throws {
        guard let representation else {
            unlink(notePath)
            return
        }
        try JSONEncoder().encode(representation).write(to: URL(fileURLWithPath: notePath), options: .atomic)
    }

    /// Removes both files.
    func remove() {
        unlink(path)
        unlink(notePath)
    }
}
