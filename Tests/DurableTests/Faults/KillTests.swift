// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

/// Workers that are killed at random moments, or whose disk fails: what was promised has to hold.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct KillTests {
    /// 1000 for the full run.
    static let kills = ProcessInfo.processInfo.environment["DURABLE_KILLS"].flatMap(Int.init) ?? 25

    @Test func killsLoseNothing() async throws {
        try await KillRound.runAll(Self.kills) { try await KillRound(count: 2000) }
    }

    @Test func failedSyncsLoseNothing() async throws {
        let directory = try TemporaryDirectory()
        let library = directory.file("syncfault.so")
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("syncfault.c")
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["clang", "-shared", "-fPIC", "-o", library.path, source.path, "-ldl"]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        let round = try await KillRound(count: 600)
        let messages = try await round.runWithFaults(["LD_PRELOAD": library.path, "SYNC_FAULT_PERIOD": "29"])
        try await round.check()
        #expect(!messages.isEmpty)
        for message in messages {
            #expect(message.contains("reading or writing the store failed") && message.contains("look at the disk"))
        }
    }
}
