internal import Foundation
internal import Glibc
internal import NetworkingTransport

/// The incomplete file beside a download's target, and the note of what it is a part of.
struct PartialFile: Sendable {
    /// Names of the three files.
    let targetPath: String
    let path: String
    let notePath: String
    /// What is here already, and can be continued; nil: start clean.
    let representation: Representation?
    /// Which resource is written: see `Representation.resource`.
    private let resource: String?

    /// Looks at the disk for what can be continued of a URL.
    init(_ destination: DownloadDestination, of url: URL?) {
        let clean = PartialFile(clean: destination, of: url)
        self.init(
            targetPath: clean.targetPath, resource: clean.resource,
            representation: destination.continuesPartialFile
                ? Self.stored(notePath: clean.notePath, path: clean.path, resource: clean.resource) : nil)
    }

    /// Does not look at the disk.
    init(clean destination: DownloadDestination, of url: URL?) {
        self.init(
            targetPath: destination.fileURL.path, resource: url.flatMap(Self.resource(of:)), representation: nil)
    }

    private init(targetPath: String, resource: String?, representation: Representation?) {
        self.targetPath = targetPath
        path = targetPath + ".part"
        notePath = targetPath + ".part.json"
        self.resource = resource
        self.representation = representation
    }

    /// A digest, since a URL may hold secrets that do not belong on the disk.
    private static func resource(of url: URL) -> String? {
        let text = url.withoutUserInfo.absoluteString
        return try? SHA256Hasher.hex(of: Data(text.prefix { $0 != "#" }.utf8))
    }

    private static func stored(notePath: String, path: String, resource: String?) -> Representation? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
            var representation = note(at: notePath), let resource, representation.resource == resource
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
        guard var representation else {
            unlink(notePath)
            return
        }
        representation.resource = resource
        try JSONEncoder().encode(representation).write(to: URL(fileURLWithPath: notePath), options: .atomic)
    }

    /// Removes both files.
    func remove() {
        unlink(path)
        unlink(notePath)
    }
}
