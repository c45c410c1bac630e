// SPDX-License-Identifier: MIT
package import Foundation
internal import Glibc

/// The folder that everything goes to.
///
/// The way to it may have links. What is below it is reached component by component without following any, so that a
/// link that came there with a file cannot lead out of it.
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
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            return ["\(path): the folder cannot be made: \(error.localizedDescription)"]
        }
        guard access(path, W_OK | X_OK) == 0 else { return ["\(path): \(String(cString: strerror(errno)))"] }
        var problems: [String] = []
        var seen: Set<String> = []
        for entry in entries {
            do throws(Obstacle) {
                try withFolder(of: entry, making: true) { folder, name in
                    var status = stat()
                    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
                    switch status.st_mode & S_IFMT {
                    case S_IFREG: return
                    case S_IFLNK: problems.append("\(url(of: entry).path): is there already, and is a link")
                    default: problems.append("\(url(of: entry).path): is there already, and is not a file")
                    }
                }
            } catch {
                // A folder is told once, however many entries need it.
                if seen.insert(error.path).inserted { problems.append("\(error.path): \(error.reason)") }
            }
        }
        return problems
    }

    /// The size of an entry's file; nil when there is none.
    func size(of entry: ManifestEntry) -> Int64? {
        var size: Int64?
        try? withFolder(of: entry) { folder, name in
            var status = stat()
            guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
                return
            }
            size = Int64(status.st_size)
        }
        return size
    }

    /// Opens an entry's file for reading; nil when there is none.
    func reading<Result>(_ entry: ManifestEntry, _ body: (Int32) throws -> Result?) throws -> Result? {
        var file: Int32 = -1
        try withFolder(of: entry) { folder, name in
            file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        }
        guard file >= 0 else { return nil }
        defer { close(file) }
        return try body(file)
    }

    /// The file that an entry's content goes to until it is complete.
    func part(of entry: ManifestEntry) throws(PartFile.Failure) -> PartFile {
        var opened: (folder: Int32, name: String)?
        do throws(Obstacle) {
            try withFolder(of: entry) { folder, name in opened = (fcntl(folder, F_DUPFD_CLOEXEC, 0), name) }
        } catch {
            throw PartFile.Failure(message: "\(error.path): \(error.reason)")
        }
        guard let opened, opened.folder >= 0 else {
            throw PartFile.Failure(message: "\(path): \(String(cString: strerror(errno)))")
        }
        return try PartFile(in: opened.folder, name: opened.name, path: url(of: entry).path)
    }

    /// What is in the way of a folder.
    private struct Obstacle: Error {
        let path: String
        let reason: String
    }

    /// Calls `body` with the folder of an entry's file, open, and the file's name.
    ///
    /// - Parameter making: whether folders that are missing are made, and have to be writable.
    private func withFolder(
        of entry: ManifestEntry, making: Bool = false, _ body: (_ folder: Int32, _ name: String) -> Void
    ) throws(Obstacle) {
        var shown = path
        var folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Obstacle(path: shown, reason: String(cString: strerror(errno))) }
        defer { close(folder) }
        let components = OutputName.components(entry.output)
        for component in components.dropLast() {
            shown += "/" + component
            if making, mkdirat(folder, component, 0o777) != 0, errno != EEXIST {
                throw Obstacle(path: shown, reason: "the folder cannot be made: \(String(cString: strerror(errno)))")
            }
            let next = openat(folder, component, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw Self.obstacle(at: shown, component, in: folder) }
            close(folder)
            folder = next
        }
        if making, components.count > 1, faccessat(folder, ".", W_OK | X_OK, 0) != 0 {
            throw Obstacle(path: shown, reason: String(cString: strerror(errno)))
        }
        if let name = components.last { body(folder, name) }
    }

    /// Why a component could not be opened as a folder; `errno` says it.
    private static func obstacle(at shown: String, _ component: String, in folder: Int32) -> Obstacle {
        let code = errno
        var status = stat()
        if fstatat(folder, component, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFLNK {
            return Obstacle(path: shown, reason: "is a link; below the output directory links are not followed")
        }
        return Obstacle(path: shown, reason: "the folder cannot be made: \(String(cString: strerror(code)))")
    }
}
