// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@Suite("Programs whose file is not where it was", .timeLimit(.minutes(1)))
struct MovedProgramTests {
    private let directory: TemporaryDirectory
    private let folder: URL
    private let program: ExternalProgram

    init() throws {
        directory = try TemporaryDirectory()
        folder = directory.url.appendingPathComponent("release")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let file = folder.appendingPathComponent("Worker")
        try FileManager.default.copyItem(at: FixtureProgram.url("NetworkFixture"), to: file)
        program = try ExternalProgram(path: file.path)
    }

    private func run(_ arguments: String...) async throws {
        let program = program
        _ = try await blocking { Result { try program.run(arguments) } }.get()
    }

    @Test("Its folder was moved: the first request is answered, without the storages that Foundation cannot make there")
    func moved() async throws {
        try await run("moved", "127.0.0.1")
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("It was removed: requests say its name, and not what the system adds")
    func removed() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        try await run("removed", server.url().absoluteString)
        let name = try #require(server.requests.first?["User-Agent"])
        #expect(name.hasPrefix("Worker/0 ("))
    }
}
