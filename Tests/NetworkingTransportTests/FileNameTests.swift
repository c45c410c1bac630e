// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import NetworkingTransport

@Suite("Names beside a file", .timeLimit(.minutes(1))) struct FileNameTests {
    @Test("A name that fits gets the suffix")
    func short() {
        #expect(FileName.path("/a/b", with: ".part") == "/a/b.part")
        #expect(FileName.path("b", with: ".part") == "b.part" && FileName.name("b", with: "-1") == "b-1")
        let longest = String(repeating: "x", count: 250)
        #expect(FileName.path("/a/\(longest)", with: ".part") == "/a/\(longest).part")
    }

    @Test(
        "One that does not has its beginning and a digest, the same each time, and others than others",
        arguments: [251, 255])
    func long(length: Int) {
        let name = String(repeating: "x", count: length)
        let path = FileName.path("/a.b/\(name)", with: ".part")
        #expect(path.hasPrefix("/a.b/xxxx") && path.hasSuffix(".part"))
        #expect(path.utf8.count - "/a.b/".utf8.count == 255)
        #expect(path == FileName.path("/a.b/\(name)", with: ".part"))
        #expect(path != FileName.path("/a.b/\(name.dropLast())y", with: ".part"))
        let (part, note) = (FileName.path(name, with: ".part", reserve: 10), FileName.path(name, with: ".part.json"))
        #expect(note == part + ".json" && note.utf8.count == 255)
    }

    @Test("A character is not cut in two")
    func characters() {
        for extra in 0..<4 {
            let name = String(repeating: "y", count: extra) + String(repeating: "\u{1F600}", count: 63)
            let path = FileName.path(name, with: ".part.json")
            #expect(path.utf8.count <= 255 && !path.contains("\u{FFFD}"))
        }
    }
}
