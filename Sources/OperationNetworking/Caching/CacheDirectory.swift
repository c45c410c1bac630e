// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The names of a `URLCache`'s files. Foundation reads its whole directory for every look-up that memory does not answer,
/// some 40 µs for each file: this tells in advance that there is nothing to be found.
struct CacheDirectory {
    private let path: String?
    /// Entries that files are called after.
    private(set) var identifiers: Set<String> = []
    private var stamp: FileStamp?

    /// Nil: where the files are cannot be told, so that only Foundation can say what is there.
    init?(of cache: URLCache) {
        var mirror: Mirror? = Mirror(reflecting: cache)
        while let present = mirror {
            if let child = present.children.first(where: { $0.label == "cacheDirectory" }) {
                guard let url = child.value as? URL? else { return nil }
                path = url?.path
                return
            }
            mirror = present.superclassMirror
        }
        return nil
    }

    /// Looks again if something has changed. Reads the disk.
    mutating func update() {
        guard let path, let present = FileStamp(path: path) else {
            identifiers = []
            return
        }
        guard present != stamp else { return }
        stamp = present
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        identifiers = Set(names.compactMap(Self.identifier))
    }

    /// `SECONDS.IDENTIFIER.storedcachedurlresponse`.
    private static func identifier(_ name: String) -> String? {
        let parts = name.utf8.split(separator: UInt8(ascii: "."))
        return parts.count == 3 ? String(decoding: parts[1], as: UTF8.self) : nil
    }
}
