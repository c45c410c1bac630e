// SPDX-License-Identifier: MIT
package import Foundation

/// A program of the machine that tests start.
package struct ExternalProgram: Sendable {
    /// It is not installed.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// It ran and failed.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    package let path: String

    /// Looks for `name` in PATH and in the directories of system programs.
    package init(_ name: String) throws {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let candidates = (directories + ["/usr/sbin", "/sbin", "/usr/local/sbin"]).map { "\($0)/\(name)" }
        guard let path = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) else {
            throw Missing(description: "\(name) is not installed: Scripts/test installs it")
        }
        self.path = path
    }

    /// The program at `path`, which must exist.
    package init(path: String) throws {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Missing(description: "\(path) does not exist: Scripts/test makes it")
        }
        self.path = path
    }

    static var openssl: ExternalProgram { get throws { try ExternalProgram("openssl") } }

    /// Runs it to its end and returns what it wrote to its standard output.
    @discardableResult
    package func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        let output = Pipe()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let message = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = String(decoding: message, as: UTF8.self)
            throw Failed(description: "\(path) \(arguments): \(process.terminationStatus)\n\(text)")
        }
        return data
    }
}
