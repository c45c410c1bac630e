// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import Testing

/// What lies beside a file when it is downloaded, and may have been put there by others.
@Suite("Whose part it is", .timeLimit(.minutes(1))) struct EarlierPartTests {
    private static let whole = content(1_000_000)

    private let server: FileServer
    private let folder: Folder
    private let options = ["-s2", "--min-split-size", "128K"]

    init() async throws {
        server = try await FileServer()
        folder = try Folder()
    }

    private func run() async throws -> Child.Outcome {
        try await batchget(["-o", folder.path("out"), server.url("a")] + options, in: folder)
    }

    /// Leaves a part of the file, with a note of batchget's own.
    private func leavePart() async throws {
        let resource = server.serve("a", Self.whole, released: 600_000)
        let child = try Child(["-o", folder.path("out"), server.url("a")] + options, in: folder)
        try await folder.waitForSize("out/a.part", atLeast: 600_000)
        try await folder.waitForSize("out/a.part.json", atLeast: 1)
        child.kill(SIGINT)
        #expect(try await child.wait().code == 130)
        resource.release()
    }

    private func note() throws -> [String: Any] {
        let data = try #require(folder.data("out/a.part.json"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// Puts other content, of the same length, into the very part.
    private func spoilPart() throws {
        let size = folder.size("out/a.part")
        let handle = try #require(FileHandle(forWritingAtPath: folder.path("out/a.part")))
        try handle.write(contentsOf: Data(repeating: 0x58, count: size))
        try handle.close()
    }

    /// Replaces the content of the very note, which keeps its mode.
    private func write(_ note: [String: Any]) throws {
        let handle = try #require(FileHandle(forWritingAtPath: folder.path("out/a.part.json")))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: JSONSerialization.data(withJSONObject: note))
        try handle.close()
    }

    /// Whether the next run goes on from what is there; the file is complete after it in any case.
    private func isContinued() async throws -> Bool {
        let before = server.requests(for: "a").count
        #expect(try await run().code == 0)
        let first = try #require(server.requests(for: "a").dropFirst(before).first)
        if first["Range"] == nil { #expect(folder.data("out/a") == Self.whole) }
        return first["Range"] != nil
    }

    @Test("A part goes on with its note, which nobody else can read")
    func own() async throws {
        try await leavePart()
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("out/a.part.json"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try await isContinued())
        #expect(folder.data("out/a") == Self.whole)
    }

    @Test(
        "A note that does not say when the file was made is none: inode and device can be foretold",
        arguments: [false, true])
    func planted(_ isOfEarlierVersion: Bool) async throws {
        try await leavePart()
        var note = try note()
        var status = stat()
        #expect(stat(folder.path("out/a.part"), &status) == 0)
        let (inode, device) = (UInt64(status.st_ino), UInt64(status.st_dev))
        if isOfEarlierVersion {
            note["file"] = nil
            note["format"] = "batchget ranges 1"
            note["inode"] = inode
            note["device"] = device
        } else {
            // A file system that does not keep when has nothing else.
            guard (note["file"] as? [String: Any])?["birth"] != nil else { return }
            let major = device >> 8 & 0xFFF
            let minor = device & 0xFF | device >> 12 & 0xFFF00
            note["file"] = ["inode": inode, "device": major << 32 | minor]
        }
        try write(note)
        try spoilPart()
        #expect(try await !isContinued())
    }

    @Test("A note of a file that was made at another moment is of another file")
    func otherBirth() async throws {
        try await leavePart()
        var note = try note()
        var file = try #require(note["file"] as? [String: Any])
        // A file system that does not keep when has nothing to compare.
        guard var birth = file["birth"] as? [String: Any] else { return }
        birth["nanoseconds"] = ((birth["nanoseconds"] as? Int ?? 0) + 1) % 1_000_000_000
        file["birth"] = birth
        note["file"] = file
        try write(note)
        try spoilPart()
        #expect(try await !isContinued())
    }

    @Test("A note that others can read, or that has a second name, is none", arguments: [false, true])
    func shared(_ isLinked: Bool) async throws {
        try await leavePart()
        let path = folder.path("out/a.part.json")
        #expect((isLinked ? link(path, folder.path("other")) : chmod(path, 0o644)) == 0)
        try spoilPart()
        #expect(try await !isContinued())
    }

    @Test(
        "A part that others may write to, or that has a second name, gives its name to a new one",
        arguments: [false, true])
    func sharedPart(_ isLinked: Bool) async throws {
        server.serve("a", Self.whole)
        let part = try folder.write("others'", to: "out/a.part")
        #expect((isLinked ? link(part, folder.path("other")) : chmod(part, 0o666)) == 0)
        #expect(try await run().code == 0)
        #expect(folder.data("out/a") == Self.whole)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a"])
        if isLinked { #expect(folder.data("other") == Data("others'".utf8)) }
    }

    @Test("A shared part that another process writes to is left to it")
    func sharedPartInUse() async throws {
        server.serve("a", Self.whole)
        let part = try folder.write("x", to: "out/a.part")
        #expect(chmod(part, 0o666) == 0)
        let file = open(part, O_RDWR | O_CLOEXEC)
        defer { close(file) }
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        let outcome = try await run()
        #expect(outcome.code != 0 && outcome.errors.contains("another download writes to it"))
        #expect(folder.data("out/a.part") == Data("x".utf8))
    }

    // MARK: Without validators, with a digest

    /// A list with one file, which goes through a plan and is had in one piece.
    private func list(_ name: String, _ content: Data) async throws -> String {
        "\(server.url(name)) out=a split=2 sha256=\(try await sha256(content))"
    }

    private func run(_ name: String, _ content: Data) async throws -> Child.Outcome {
        try await batchget(["-o", folder.path("out")], input: try await list(name, content), in: folder)
    }

    /// Leaves a part of the file that only the digest can tell from others.
    private func leaveUntaggedPart() async throws {
        let resource = server.serve("a", Self.whole, released: 600_000, entityTag: "")
        let list = try await list("a", Self.whole)
        let child = try Child(["-o", folder.path("out")], input: list, in: folder)
        try await folder.waitForSize("out/a.part", atLeast: 600_000)
        child.kill(SIGINT)
        #expect(try await child.wait().code == 130)
        resource.release()
        #expect(folder.size("out/a.part.json") > 0)
    }

    @Test("The part of another URL's file is not continued")
    func otherURL() async throws {
        try await leaveUntaggedPart()
        let other = content(1_000_000, seed: 2)
        server.serve("b", other, entityTag: "")
        let outcome = try await run("b", other)
        #expect(outcome.code == 0)
        #expect(server.requests(for: "b").map { $0["Range"] } == [nil])
        #expect(folder.data("out/a") == other)
    }

    @Test("A part that turns out to be of another file in the end is given up, and all of the file had")
    func otherContent() async throws {
        try await leaveUntaggedPart()
        let before = server.requests(for: "a").count
        let other = content(1_000_000, seed: 2)
        server.serve("a", other, entityTag: "")
        let outcome = try await run("a", other)
        #expect(outcome.code == 0)
        #expect(server.requests(for: "a").dropFirst(before).map { $0["Range"] == nil } == [false, true])
        #expect(folder.data("out/a") == other)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a"])
    }

    @Test("A file that has become shorter than what is there of it begins anew")
    func shorter() async throws {
        try await leaveUntaggedPart()
        let before = server.requests(for: "a").count
        let other = content(300_000, seed: 2)
        server.serve("a", other, entityTag: "")
        let outcome = try await run("a", other)
        #expect(outcome.code == 0)
        #expect(server.requests(for: "a").count == before + 2)
        #expect(folder.data("out/a") == other)
    }

    @Test("A kill after the file has begun anew leaves no note of what was there before")
    func noteOfOldContent() async throws {
        try await leavePart()
        // The server sends another file in place of the rest, and does not say which.
        let other = content(1_000_000, seed: 2)
        server.serve("a", other, released: 500_000, servesRanges: false, entityTag: "")
        let child = try Child(["-o", folder.path("out"), server.url("a")] + options, in: folder)
        let deadline = ContinuousClock.now + .seconds(30)
        while folder.data("out/a.part")?.prefix(400_000) != other.prefix(400_000) {
            guard ContinuousClock.now < deadline else { throw TestFailure("the file did not begin anew") }
            try await Task.sleep(for: .milliseconds(5))
        }
        child.kill(SIGKILL)
        #expect(try await child.wait().signal == SIGKILL)
        #expect(folder.data("out/a.part.json") == nil)
        server.serve("a", Self.whole)
        #expect(try await run().code == 0)
        #expect(folder.data("out/a") == Self.whole)
    }
}
