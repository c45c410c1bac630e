// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// What others may have put beside a download's target.
@Suite("Files that were planted beside a download", .timeLimit(.minutes(1))) struct PlantedFileTests {
    private static let content = Data.random(200_000)
    private static let foreign = Data.random(120_000, seed: 66)

    private let server: TestServer
    private let directory: TemporaryDirectory

    init() throws {
        server = try TestServer()
        directory = try TemporaryDirectory()
        server.respond(to: "/file", .ranged(Self.content, etag: "\"a\""))
    }

    private var target: URL { directory.file("target.bin") }
    private func path(_ name: String) -> String { directory.file(name).path }
    private func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: path(name)) }
    private var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()) ?? []
    }

    private func download(existingFile: DownloadDestination.ExistingFile = .replace) async -> HTTPRequestOperation {
        let operation = HTTPRequestOperation.make(server.url("/file"))
        operation.downloadDestination = DownloadDestination(fileURL: target, existingFile: existingFile)
        await operation.run()
        return operation
    }

    private func leavePartial(_ data: Data) throws {
        try directory.leavePartial(
            data, of: target, from: server.url("/file"), validator: "\"a\"", total: Self.content.count)
    }

    private func expectFresh(_ operation: HTTPRequestOperation, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(operation.error == nil, sourceLocation: sourceLocation)
        #expect(bytes("target.bin") == Self.content, sourceLocation: sourceLocation)
        #expect(server.requests.map { $0["Range"] } == [nil], sourceLocation: sourceLocation)
    }

    @Test(
        "A symbolic link in place of the part is refused, and nothing is written through it", arguments: [true, false])
    func symbolicLink(toSomething: Bool) async throws {
        if toSomething { try directory.write("precious", to: "victim") }
        try FileManager.default.createSymbolicLink(
            atPath: path("target.bin.part"), withDestinationPath: path("victim"))
        let operation = await download()
        #expect((operation.error as? URLError)?.code == .cannotWriteToFile)
        #expect(operation.underlyingError?.localizedDescription.contains("is a symbolic link") == true)
        #expect(bytes("victim") == (toSomething ? Data("precious".utf8) : nil))
        #expect(!names.contains("target.bin"))
    }

    @Test("A hard link in place of the part: the other name keeps its content, and the download has a file of its own")
    func hardLink() async throws {
        try directory.write("precious", to: "victim")
        try FileManager.default.linkItem(atPath: path("victim"), toPath: path("target.bin.part"))
        expectFresh(await download())
        #expect(bytes("victim") == Data("precious".utf8) && names == ["target.bin", "victim"])
    }

    @Test("A part that has another name too is not continued: who has that name may write to it")
    func linkedPart() async throws {
        try leavePartial(Self.content.prefix(1000))
        try FileManager.default.linkItem(atPath: path("target.bin.part"), toPath: path("other"))
        expectFresh(await download())
        #expect(bytes("other") == Self.content.prefix(1000))
    }

    @Test("A pipe in place of the part is refused, and one in place of the note is not waited for")
    func pipes() async throws {
        #expect(mkfifo(path("target.bin.part"), 0o600) == 0)
        let refused = await download()
        #expect(refused.underlyingError?.localizedDescription.contains("is not a regular file") == true)
        try FileManager.default.removeItem(atPath: path("target.bin.part"))

        try leavePartial(Self.content.prefix(1000))
        try FileManager.default.removeItem(atPath: path("target.bin.part.json"))
        #expect(mkfifo(path("target.bin.part.json"), 0o600) == 0)
        let fresh = await download()
        #expect(fresh.error == nil && bytes("target.bin") == Self.content && names == ["target.bin"])
    }

    @Test("A part and a note that came there together, as from an archive, are no beginning of a good download")
    func unpacked() async throws {
        try leavePartial(Self.foreign)
        for name in ["target.bin.part", "target.bin.part.json"] {
            let copy = try #require(bytes(name))
            try FileManager.default.removeItem(atPath: path(name))
            // Files that hold the inodes back, so that the copies get others.
            try directory.write("x", to: "holder-\(name)")
            try copy.write(to: directory.file(name))
            #expect(chmod(path(name), 0o600) == 0)
        }
        expectFresh(await download())
    }

    @Test("A part that was replaced under its note is not continued, although it gets the same inode")
    func sameInode() async throws {
        try leavePartial(Self.foreign)
        try FileManager.default.removeItem(atPath: path("target.bin.part"))
        try Self.foreign.write(to: directory.file("target.bin.part"))
        expectFresh(await download())
    }

    @Test(
        "A part or a note that others may write to does not count", arguments: ["part", "part.json"], [0o666, 0o620])
    func writable(suffix: String, mode: mode_t) async throws {
        try leavePartial(Self.content.prefix(1000))
        #expect(chmod(path("target.bin.\(suffix)"), mode) == 0)
        expectFresh(await download())
        #expect(names == ["target.bin"])
    }

    @Test("A link in place of the note does not count")
    func linkedNote() async throws {
        try leavePartial(Self.content.prefix(1000))
        try FileManager.default.moveItem(atPath: path("target.bin.part.json"), toPath: path("note"))
        try FileManager.default.createSymbolicLink(
            atPath: path("target.bin.part.json"), withDestinationPath: path("note"))
        let note = bytes("note")
        expectFresh(await download())
        #expect(bytes("note") == note && names == ["note", "target.bin"])
    }

    @Test(
        "A part of somebody else's is refused; a note of somebody else's does not count",
        .enabled("giving files away takes privileges", { geteuid() == 0 }), arguments: ["part", "part.json"])
    func foreignOwner(suffix: String) async throws {
        try leavePartial(Self.content.prefix(1000))
        #expect(chown(path("target.bin.\(suffix)"), 65534, 65534) == 0)
        let operation = await download()
        if suffix == "part" {
            #expect(operation.underlyingError?.localizedDescription.contains("belongs to another user") == true)
            #expect(bytes("target.bin.part") == Self.content.prefix(1000) && !names.contains("target.bin"))
        } else {
            expectFresh(operation)
        }
    }

    @Test(
        "A file that is put in place of the part during the download does not become the target",
        arguments: [true, false], [DownloadDestination.ExistingFile.replace, .refuse])
    func replacedMeanwhile(isLink: Bool, rule: DownloadDestination.ExistingFile) async throws {
        let gate = Gate()
        server.respond(
            to: "/file",
            .ranged(Self.content, etag: "\"a\"").with { $0.pieceSize = 150_000 }.inserting(
                [.gate(gate)], at: .betweenPieces))
        let operation = HTTPRequestOperation.make(server.url("/file"))
        operation.downloadDestination = DownloadDestination(fileURL: target, existingFile: rule)
        operation.start()
        try await eventually { bytes("target.bin.part")?.count == 150_000 }
        try FileManager.default.removeItem(atPath: path("target.bin.part"))
        try directory.write("planted", to: "planted")
        if isLink {
            try FileManager.default.createSymbolicLink(
                atPath: path("target.bin.part"), withDestinationPath: path("planted"))
        } else {
            try FileManager.default.moveItem(atPath: path("planted"), toPath: path("target.bin.part"))
        }
        gate.open()
        await operation.completed()
        #expect((operation.error as? URLError)?.code == .cannotWriteToFile)
        #expect(operation.underlyingError?.localizedDescription.contains("somebody replaced") == true)
        #expect(!names.contains("target.bin"))
    }

    @Test("The note is readable for this user alone")
    func noteMode() async throws {
        try directory.write("somebody else reads this", to: "target.bin.part.json")
        server.respond(
            to: "/file",
            ScriptedResponse.ranged(Self.content, etag: "\"a\"").ending(.closeUnannounced, afterBodyBytes: 70_000))
        let operation = await download()
        #expect((operation.error as? URLError)?.code == .networkConnectionLost)
        let mode = try FileManager.default.attributesOfItem(atPath: path("target.bin.part.json"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("A target that is a link is replaced itself, and what it leads to is left alone")
    func linkAsTarget() async throws {
        try directory.write("precious", to: "victim")
        try FileManager.default.createSymbolicLink(atPath: target.path, withDestinationPath: path("victim"))
        expectFresh(await download())
        #expect(bytes("victim") == Data("precious".utf8))
    }

    @Test(
        "A note with values that no note has does not count",
        arguments: [
            #"{"validator":"\"a\"","totalLength":-1,"file":{"inode":1}}"#,
            #"{"validator":"\"a\"\r\nX: 1","file":{"inode":1}}"#, #"{"validator":"","file":{"inode":1}}"#,
            #"{"validator":"\"a\"","totalLength":9223372036854775808,"file":{"inode":1}}"#,
            #"{"validator":"\"a\"","file":{"inode":-1}}"#, #"{"validator":"\"a\""}"#, "", "[]", "\u{0}",
        ])
    func badNotes(text: String) {
        #expect(PartialNote(Data(text.utf8)) == nil)
        #expect(PartialNote(Data(#"{"validator":"\"a\"","totalLength":5,"file":{"inode":1}}"#.utf8)) != nil)
        #expect(
            PartialNote(
                Data("{\"validator\":\"\(String(repeating: "a", count: 20_000))\",\"file\":{\"inode\":1}}".utf8)) == nil
        )
    }
}
