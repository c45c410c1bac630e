// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// Downloads that outlive their process: a child does the first part and is killed.
@Suite(.timeLimit(.minutes(1))) struct ArchiveProcessTests {
    private static let content = Data.random(400_000)

    private let server: TestServer
    private let directory: TemporaryDirectory

    init() throws {
        server = try TestServer()
        directory = try TemporaryDirectory()
        let index = Tally()
        server.respond(to: "/file") { _ in
            let response = ScriptedResponse.ranged(Self.content, etag: "\"a\"")
            return index.increment() == 1 ? response.ending(.stall, afterBodyBytes: 150_000) : response
        }
    }

    /// Runs the child until `isFarEnough`, and kills it.
    private func runChild(_ arguments: [String], until isFarEnough: () -> Bool) async throws {
        let child = Process()
        child.executableURL = try FixtureProgram.url("DownloadFixture")
        child.arguments = arguments
        try child.run()
        defer { kill(child.processIdentifier, SIGKILL) }
        try await eventually("the child has come far enough", timeout: 30) { isFarEnough() }
        kill(child.processIdentifier, SIGKILL)
        try await eventually { !child.isRunning }
        #expect(child.terminationReason == .uncaughtSignal && child.terminationStatus == SIGKILL)
    }

    private func size(_ name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: directory.file(name).path)
        return (attributes?[.size] as? Int) ?? -1
    }

    @Test("A download killed in its middle is continued from what is on disk")
    func fromDisk() async throws {
        let target = directory.file("target")
        try await runChild(["download", server.url("/file").absoluteString, target.path]) {
            size("target.part") == 150_000
        }
        #expect(!FileManager.default.fileExists(atPath: target.path))
        let operation = HTTPRequestOperation.make(server.url("/file"))
        operation.downloadDestination = DownloadDestination(fileURL: target)
        await operation.run()
        #expect(operation.error == nil)
        #expect(try Data(contentsOf: target) == Self.content)
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=150000-"])
        #expect(server.requests.last?["If-Range"] == "\"a\"")
    }

    @Test(
        "A paused operation archived by a process that was killed resumes here at its offset",
        arguments: ["memory", "file"])
    func fromArchive(place: String) async throws {
        let (target, archive) = (directory.file("target"), directory.file("archive"))
        var arguments = ["archive", server.url("/file").absoluteString, archive.path]
        if place == "file" { arguments.append(target.path) }
        try await runChild(arguments) { FileManager.default.fileExists(atPath: archive.path) }
        let operation = try #require(
            try NSKeyedUnarchiver.unarchivedObject(
                ofClass: HTTPRequestOperation.self, from: Data(contentsOf: archive)))
        operation.completionQueue = DispatchQueue(label: "restored")
        #expect(operation.isPaused)
        if place == "file" { operation.downloadDestination = DownloadDestination(fileURL: target) }
        operation.resume()
        await operation.completed()
        #expect(operation.error == nil, "\(String(describing: operation.error))")
        #expect(try (place == "file" ? Data(contentsOf: target) : operation.responseData) == Self.content)
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=150000-"])
    }
}
