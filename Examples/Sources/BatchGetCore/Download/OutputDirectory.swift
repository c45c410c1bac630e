package import Foundation
internal import Glibc

/// The folder that everything goes to.
package struct OutputDirectory: Sendable {
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// Where an entry's file goes.
    package func url(of entry: ManifestEntry) -> URL {
        URL(fileURLWithPath: path, isDirectory: true).appendingPathComponent(entry.output, isDirectory: false)
    }

    /// Makes the folder and those that entries need in it.
    ///
    /// - Returns: one line for each thing that stands in the way; empty: everything can be written.
    package func prepare(for entries: [ManifestEntry]) -> [String] {
        var problems: [String] = []
        var seen: Set<String> = []
        let folders = [path] + entries.map { url(of: $0).deletingLastPathComponent().path }
        for folder in folders where seen.insert(folder).inserted {
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                if access(folder, W_OK | X_OK) != 0 {
                    problems.append("\(folder): \(String(cString: strerror(errno)))")
                }
            } catch {
                problems.append("\(folder): the folder cannot be made: \(error.localizedDescription)")
                // Those below it would only say the same.
                if folder == path { return problems }
            }
        }
        for entry in entries {
            let file = url(of: entry).path
            if let kind = Self.kind(of: file), kind != S_IFREG {
                problems.append("\(file): is there already, and is not a file")
            }
        }
        return problems
    }

    /// The size of an entry's file; nil when there is none.
    func size(of entry: ManifestEntry) -> Int64? {
        var status = stat()
        let path = url(of: entry).path
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// The type bits of what is at a path, links followed; nil when there is nothing.
    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT
    }
}
