// SPDX-License-Identifier: MIT
import Foundation

/// Runs a program of the system's to its end.
func runTool(
    _ name: String, _ arguments: [String], input: Data = Data()
) async throws -> (status: Int32, output: String, errors: String) {
    try await blocking {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let folder = try Folder()
        process.standardInput = try FileHandle(
            forReadingFrom: URL(fileURLWithPath: folder.write(input, to: "input")))
        let files = try ["output", "errors"].map { try folder.write("", to: $0) }
        process.standardOutput = FileHandle(forWritingAtPath: files[0])
        process.standardError = FileHandle(forWritingAtPath: files[1])
        try process.run()
        process.waitUntilExit()
        let texts = ["output", "errors"].map { String(decoding: folder.data($0) ?? Data(), as: UTF8.self) }
        return (process.terminationStatus, texts[0], texts[1])
    }
}

/// The digest of data in hexadecimal digits, by somebody else's implementation.
func sha256(_ data: Data) async throws -> String {
    let result = try await runTool("sha256sum", [], input: data)
    guard result.status == 0, let digest = result.output.split(separator: " ").first else {
        throw TestFailure("sha256sum: \(result.errors)")
    }
    return String(digest)
}
