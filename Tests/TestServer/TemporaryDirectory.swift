// SPDX-License-Identifier: MIT
package import Foundation

/// A directory of its own, deleted with everything in it when the object goes away.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "test-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var path: String { url.path }

    /// The URL of a file in it, which need not exist.
    package func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Writes a file and returns its URL.
    @discardableResult
    package func write(_ content: Data, to name: String) throws -> URL {
        try content.write(to: file(name))
        return file(name)
    }

    @discardableResult
    package func write(_ content: String, to name: String) throws -> URL { try write(Data(content.utf8), to: name) }
}
