// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// Names of files: those that are made next to a user's file and called after it, and those that a server proposes.
package enum FileName {
    /// Bytes of a name on Linux (NAME_MAX).
    package static let maximumLength = 255

    /// The path with the suffix at its end. Where the name would be too long, its beginning and a digest of it stand
    /// for it: the same for the same path.
    ///
    /// - Parameter reserve: bytes of the longest suffix that is put to this path, so that all have one beginning.
    package static func path(_ path: String, with suffix: String, reserve: Int = 0) -> String {
        let utf8 = path.utf8
        let start = utf8.lastIndex(of: UInt8(ascii: "/")).map { utf8.index(after: $0) } ?? utf8.startIndex
        return path[..<start] + name(path[start...], with: suffix, reserve: reserve)
    }

    /// The same for a name.
    package static func name(_ name: some StringProtocol, with suffix: String, reserve: Int = 0) -> String {
        let room = maximumLength - max(reserve, suffix.utf8.count)
        guard name.utf8.count > room, let digest = try? SHA256Hasher.hex(of: Data(name.utf8)).prefix(32) else {
            return name + suffix
        }
        var beginning = name.utf8.prefix(max(room - digest.utf8.count - 1, 0))
        // Not within a character of UTF-8.
        while let next = name.utf8[beginning.endIndex...].first, next & 0xC0 == 0x80, !beginning.isEmpty {
            beginning = beginning.dropLast()
        }
        return String(decoding: Array(beginning), as: UTF8.self) + "~" + digest + suffix
    }
}
