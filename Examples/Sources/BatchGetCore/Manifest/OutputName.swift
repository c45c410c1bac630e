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
    /// What the library puts beside the file until it is complete.
    static let partialSuffixes = [".part", ".part.json"]

    /// A path without empty and "." components; "a//./b" and "a/b" are one file.
    static func normalized(_ path: String) throws(Failure) -> String {
        guard !path.isEmpty else { throw Failure(message: "is empty") }
        guard !path.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw Failure(message: "\(quoted(path)) contains control characters")
        }
        guard !path.hasPrefix("/") else {
            throw Failure(message: "\(quoted(path)) is an absolute path; it has to be below the output directory")
        }
        let components = path.split(separator: "/").filter { $0 != "." }
        guard !components.contains("..") else {
            throw Failure(message: "\(quoted(path)) contains \"..\"; it has to be below the output directory")
        }
        guard let last = components.last, !path.hasSuffix("/"), !path.hasSuffix("/.") else {
            throw Failure(message: "\(quoted(path)) is a directory, not a file")
        }
        guard last.utf8.count <= maximumNameLength, components.allSatisfy({ $0.utf8.count <= 255 }) else {
            throw Failure(
                message: "\(quoted(path)) is too long: a file name may have \(maximumNameLength) bytes, a folder's 255")
        }
        return components.joined(separator: "/")
    }

    /// The last component of a URL's path, decoded; "index.html" when that is empty.
    static func derived(from url: URL) throws(Failure) -> String {
        let path = url.path(percentEncoded: true)
        let encoded = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        guard !encoded.isEmpty else { return "index.html" }
        guard let name = encoded.removingPercentEncoding, !name.contains("/"), name != ".",
            let normalized = try? normalized(name)
        else {
            throw Failure(message: "is missing, and the URL ends in \(quoted(encoded)), which is no name for a file")
        }
        return normalized
    }
}
