// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import TestServer
import Testing

@testable import NetworkingTransport

@Suite("Files that are moved")
struct FileMoveTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("A name that is taken is left alone, with links and without", arguments: [false, true])
    func taken(withoutLinks: Bool) throws {
        let move = withoutLinks ? FileMove.reservingName : FileMove.withoutReplacing
        let file = try directory.write("new", to: "new")
        let target = try directory.write("old", to: "old")
        #expect(move(file.path, target.path) == EEXIST)
        #expect(try String(contentsOf: target, encoding: .utf8) == "old")
        #expect(move(file.path, directory.file("free").path) == 0)
        #expect(try String(contentsOf: directory.file("free"), encoding: .utf8) == "new")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("What cannot be moved leaves nothing at its place")
    func failure() {
        #expect(FileMove.reservingName(directory.file("missing").path, to: directory.file("free").path) == ENOENT)
        #expect(!FileManager.default.fileExists(atPath: directory.file("free").path))
    }
}
