// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// The folder of a cache's segments. Other files in it are left alone.
struct SegmentFolder: Sendable {
    /// The name of a segment, made from the time when it was begun, so that the order of the names is that of age.
    struct Name: Hashable, Comparable, Sendable {
        let text: String

        private static let digits = 24
        private static let suffix = ".responses"

        init(time: UInt64) {
            let time = withUnsafeBytes(of: time.bigEndian) { Array($0) }
            let chance = withUnsafeBytes(of: UInt32.random(in: .min ... .max)) { Array($0) }
            text = (time + chance).hexadecimal + Self.suffix
        }

        /// Nil: the file is not a segment.
        init?(_ bytes: some Collection<UInt8>) {
            let isDigit: (UInt8) -> Bool = { $0.isDigit || 0x61...0x66 ~= $0 }
            guard bytes.count == Self.digits + Self.suffix.utf8.count, bytes.prefix(Self.digits).allSatisfy(isDigit),
                bytes.dropFirst(Self.digits).elementsEqual(Self.suffix.utf8)
            else { return nil }
            text = String(decoding: bytes, as: UTF8.self)
        }

        static func < (left: Name, right: Name) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
    }

    let path: String

    /// Makes the folder, with those above it, for this user only. False: it cannot be made, or is not `isUsable`.
    func make() -> Bool {
        Self.make(path)
        return isUsable
    }

    private static func make(_ path: String) {
        guard mkdir(path, 0o700) != 0, errno == ENOENT else { return }
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard parent != path else { return }
        make(parent)
        mkdir(path, 0o700)
    }

    /// True if this is a folder of this user that is not writable for all users. The path may be a link to it.
    var isUsable: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
            && status.st_mode & 0o002 == 0
    }

    func file(_ name: Name) -> String { path + "/" + name.text }

    func open(_ name: Name, _ flags: Int32) -> Descriptor? { Descriptor(file(name), flags) }

    func remove(_ name: Name) { unlink(file(name)) }

    /// Nil: there is no such file.
    func stamp(_ name: Name) -> SegmentStamp? {
        var status = stat()
        guard lstat(file(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return SegmentStamp(status)
    }

    var names: Set<Name> {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: Set<Name> = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Name($0.prefix { $0 != 0 }) }
            if let name { names.insert(name) }
        }
        return names
    }
}
