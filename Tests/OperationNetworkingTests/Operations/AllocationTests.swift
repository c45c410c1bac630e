// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@Suite("What a request allocates", .timeLimit(.minutes(1)))
struct AllocationTests {
    /// In a debug build, in which also reading asks for memory; libcurl's and Foundation's included. A change that makes
    /// it fewer lowers the limit.
    private static let limit = 2800

    @Test("One GET asks for memory no more often than it did")
    func get() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("content") }
        let child = Process()
        let output = Pipe()
        child.executableURL = try FixtureProgram.url("AllocationFixture")
        child.arguments = [server.url("/").absoluteString]
        child.standardOutput = output
        try child.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        child.waitUntilExit()
        #expect(child.terminationStatus == 0)
        let count = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(count <= Self.limit)
    }
}
