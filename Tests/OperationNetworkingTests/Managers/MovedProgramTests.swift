// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@Suite("Programs whose folder was moved", .timeLimit(.minutes(1)))
struct MovedProgramTests {
    @Test("The first request of one is answered, without the storages that Foundation cannot make there")
    func first() async throws {
        let directory = try TemporaryDirectory()
        let folder = directory.url.appendingPathComponent("release")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let file = folder.appendingPathComponent("NetworkFixture")
        try FileManager.default.copyItem(at: FixtureProgram.url("NetworkFixture"), to: file)
        let program = try ExternalProgram(path: file.path)
        _ = try await blocking { Result { try program.run(["moved", "127.0.0.1"]) } }.get()
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
}
