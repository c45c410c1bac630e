// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import NetworkingTransport

@Suite("The end of the process", .timeLimit(.minutes(2)))
struct ExitTests {
    @Test(
        "A program may end while requests are under way, although OpenSSL frees itself", arguments: ["main", "network"])
    func exit(thread: String) throws {
        let front = try FrontServer(http2: false)
        defer { front.stop() }
        for round in 0..<20 {
            let child = Process()
            child.executableURL = try FixtureProgram.url("EngineFixture")
            child.arguments = ["exit", "https://127.0.0.1:\(front.relay.port)/file", "\(20 + round * 2)", thread]
            try child.run()
            child.waitUntilExit()
            #expect(child.terminationReason == .exit && child.terminationStatus == 0, "round \(round)")
        }
    }
}
