// SPDX-License-Identifier: MIT
internal import Foundation

/// The rules for where a file goes below the output directory.
enum OutputName {
    /// Why a name cannot be used.
    struct Failure: Error {
        let message: String
    }

    /// Bytes of the last component: 255, which file systems allow, without what is appended to it while the download is
    /// under way.
    static let maximumNameLength = 240
    /// What the library and `PartFile` put beside the file until it is complete.
    static let partialSuffixes = [".part", ".part.json", ".part.json.new"]

    /// Bytes of a whole path, so that there is room for the output directory below the 4096 that a system call takes.
    static let maximumPathLength = 2048

    /// A path without empty and "." components; "a//./b" and "a/b" are one file.
    ///
    /// Bytes are looked at, as the file system does: in a `Character` a "/" may be joined with a mark that follows it.
    static func normalized(_ path: String) throws(Failure) -> String {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty else { throw Failure(message: "is empty") }
        guard !path.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw Failure(message: "\(quoted(path)) contains control characters")
        }
        guard bytes[0] != separator else {
            throw Failure(message: "\(quoted(path)) is an absolute path; it has to be below the output directory")
        }
        let parts = bytes.split(separator: separator, omittingEmptySubsequences: false)
        let components = parts.filter { !$0.isEmpty && !$0.elementsEqual(".".utf8) }
        guard !components.contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw Failure(message: "\(quoted(path)) contains \"..\"; it has to be below the output directory")
        }
        guard let last = components.last, let end = parts.last, end.elementsEqual(last) else {
            throw Failure(message: "\(quoted(path)) is a directory, not a file")
        }
        guard last.count <= maximumNameLength, components.allSatisfy({ $0.count <= 255 }),
            bytes.count <= maximumPathLength
        else {
            throw Failure(
                message: "\(quoted(path)) is too long: a file name may have \(maximumNameLength) bytes, a folder's "
                    + "255, all together \(maximumPathLength)")
        }
        return String(decoding: Array(components.joined(separator: [separator])), as: UTF8.self)
    }

    /// The last component of a URL's path, decoded if that is UTF-8; "index.html" when it is empty.
    static func derived(from url: URL) throws(Failure) -> String {
        let path = url.path(percentEncoded: true).utf8
        let encoded = String(decoding: path.suffix(from: afterLastSeparator(path)), as: UTF8.self)
        guard !encoded.isEmpty else { return "index.html" }
        let name = encoded.removingPercentEncoding ?? encoded
        guard !name.utf8.contains(separator),
            !name.utf8.elementsEqual(".".utf8), let normalized = try? normalized(name)
        else {
            throw Failure(message: "is missing, and the URL ends in \(quoted(encoded)), which is no name for a file")
        }
        return normalized
    }

    private static func afterLastSeparator(_ path: String.UTF8View) -> String.UTF8View.Index {
        path.lastIndex(of: separator).map { path.index(after: $0) } ?? path.startIndex
    }

    /// Folders and the name of the file, for a path that was normalized.
    static func components(_ path: String) -> [String] {
        path.utf8.split(separator: separator).map { String(decoding: $0, as: UTF8.self) }
    }

    private static let separator = UInt8(ascii: "/")
}
