// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import NetworkingTransport

@Suite("What the process's environment and OpenSSL's configuration decide", .timeLimit(.minutes(1)))
struct ProcessTests {
    private func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Int32 {
        let child = Process()
        child.executableURL = try FixtureProgram.url("EngineFixture")
        child.arguments = arguments
        child.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        try child.run()
        child.waitUntilExit()
        return child.terminationReason == .exit ? child.terminationStatus : -1
    }

    @Test("TLS secrets are written to SSLKEYLOGFILE only when the program wants it", arguments: [false, true])
    func keyLog(isWanted: Bool) throws {
        let front = try FrontServer(http2: false)
        defer { front.stop() }
        let directory = try TemporaryDirectory()
        let file = directory.file("keys")
        let status = try run(
            ["fetch", "https://127.0.0.1:\(front.relay.port)/file", isWanted ? "log" : "nolog", "-"],
            environment: ["SSLKEYLOGFILE": file.path])
        #expect(status == 0)
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        #expect(text.isEmpty == !isWanted)
    }

    @Test("Without SHA-256 nothing has a digest, and nothing is equal for want of one")
    func digest() throws {
        #expect(try run(["digest", "-", "-", "-"]) == 0)
    }
}
