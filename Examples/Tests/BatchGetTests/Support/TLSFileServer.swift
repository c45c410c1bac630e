// SPDX-License-Identifier: MIT
import Foundation
import Glibc

/// `openssl s_server`, which serves the files of a folder.
final class TLSFileServer {
    private let process = Process()
    private let output = Pipe()

    init(_ folder: URL, certificates: Folder) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "s_server", "-WWW", "-accept", "0.0.0.0:0", "-cert", certificates.path("server.pem"), "-key",
            certificates.path("server.key"),
        ]
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    /// From the line "ACCEPT 0.0.0.0:12345".
    func port() async throws -> Int {
        let handle = output.fileHandleForReading
        let text = try await blocking {
            var text = ""
            while text.firstMatch(of: /ACCEPT [^\n]*:(\d+)\n/) == nil {
                let data = handle.availableData
                guard !data.isEmpty else { throw TestFailure("openssl s_server ended: \(text)") }
                text += String(decoding: data, as: UTF8.self)
            }
            return text
        }
        guard let port = text.firstMatch(of: /ACCEPT [^\n]*:(\d+)\n/).flatMap({ Int($0.1) }) else {
            throw TestFailure("no port: \(text)")
        }
        return port
    }

    func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
