// SPDX-License-Identifier: MIT
import Foundation

/// A folder for one test, removed with it.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("batchget-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var path: String { url.path }

    func path(_ name: String) -> String {
        url.appendingPathComponent(name).path
    }

    /// Writes a file, with the folders it needs; its path.
    @discardableResult
    func write(_ content: Data, to name: String) throws -> String {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try content.write(to: file)
        return file.path
    }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try write(Data(text.utf8), to: name)
    }

    func data(_ name: String) -> Data? {
        FileManager.default.contents(atPath: path(name))
    }

    /// Bytes of a file; 0 when there is none.
    func size(_ name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
        return attributes?[.size] as? Int ?? 0
    }

    /// Every file below, sorted.
    var files: [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: self.path(name), isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// Waits until a file has so many bytes. The file system tells nobody of a write without more effort than looking.
    func waitForSize(_ name: String, atLeast size: Int) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while self.size(name) < size {
            guard ContinuousClock.now < deadline else { throw TestFailure("\(name) did not grow to \(size) bytes") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// Bytes without a pattern that a shift would not show, the same for the same seed.
func content(_ count: Int, seed: UInt64 = 1) -> Data {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    var data = Data(capacity: count)
    for _ in 0..<count {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        data.append(UInt8(truncatingIfNeeded: state >> 56))
    }
    return data
}
