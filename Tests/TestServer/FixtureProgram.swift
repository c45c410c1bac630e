// SPDX-License-Identifier: MIT
public import Foundation

/// A program of this package that lies beside the test bundle.
public enum FixtureProgram {
    /// Where it is; throws when it was not built.
    public static func url(_ name: String) throws -> URL {
        let candidates =
            [Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0])]
            + Bundle.allBundles.map(\.bundleURL)
        for candidate in candidates {
            var directory = candidate
            for _ in 0..<4 {
                let file = directory.appendingPathComponent(name)
                if FileManager.default.isExecutableFile(atPath: file.path) { return file }
                directory.deleteLastPathComponent()
            }
        }
        throw CocoaError(.fileNoSuchFile, userInfo: [NSLocalizedDescriptionKey: "no \(name) beside the tests"])
    }
}
