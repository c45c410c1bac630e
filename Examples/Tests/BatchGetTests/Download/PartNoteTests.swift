// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Testing

@Suite("Notes of incomplete files") struct PartNoteTests {
    private static let url = URL(string: "http://h/a")
    /// The digest of the URL.
    private static let key = "c43fa283946b81455781ee66e2429e922951961b9f11ec301adaef81f333835e"

    private func note(_ changes: [String: Any]) throws -> PartNote? {
        var fields: [String: Any] = [
            "format": "batchget ranges 2", "file": ["inode": 2, "birth": ["seconds": 1, "nanoseconds": 2]],
            "total": 100, "parts": [0, 10, 20, 30],
            "validators": [Self.key: "\"a\""],
        ]
        for (key, value) in changes { fields[key] = value }
        return PartNote(try JSONSerialization.data(withJSONObject: fields))
    }

    @Test("What is there")
    func parts() throws {
        let url = try #require(Self.url)
        let remains = try note([:])?.remains(size: 30, at: [url])
        #expect(remains?.parts == [0..<10, 20..<30])
        #expect(remains?.total == 100)
        #expect(remains?.validators == ["\"a\""])
    }

    @Test("A note counts for a download from one of its places, of which none need have a validator")
    func places() throws {
        let url = try #require(Self.url)
        let other = try #require(URL(string: "http://h/b"))
        #expect(try note([:])?.remains(size: 30, at: [other, url])?.validators == [nil, "\"a\""])
        let silent = try note(["validators": [Self.key: ""]])
        #expect(silent?.remains(size: 30, at: [url])?.validators == [nil])
        #expect(silent?.remains(size: 30, at: [other]) == nil, "what is there is another URL's")
    }

    @Test("What answered is noted, too; in a note of an earlier version it was the place itself")
    func resources() throws {
        let url = try #require(Self.url)
        #expect(try note([:])?.remains(size: 30, at: [url])?.resources == [Self.key])
        let redirected = try note(["resources": [Self.key: "other"]])
        #expect(redirected?.remains(size: 30, at: [url])?.resources == ["other"])
    }

    @Test(
        "What cannot be true does not count",
        arguments: [
            ["parts": [0]], ["parts": [10, 0]], ["parts": [0, 31]], ["parts": [0, 10, 10, 20]], ["parts": [-1, 10]],
            ["parts": [5, 9, 0, 3]], ["total": 29],
        ] as [[String: any Sendable]])
    func unsound(_ changes: [String: any Sendable]) throws {
        let url = try #require(Self.url)
        let note = try #require(try note(changes))
        #expect(note.remains(size: 30, at: [url]) == nil)
    }

    @Test("What is no note is none")
    func none() throws {
        #expect(try note(["format": "other"]) == nil)
        // Of earlier versions, which did not say when the file was made.
        #expect(try note(["format": "batchget ranges 1"]) == nil)
        #expect(try note(["parts": "x"]) == nil)
        #expect(try note(["total": 1e30]) == nil)
        #expect(PartNote(Data()) == nil)
        #expect(PartNote(Data(repeating: 0x20, count: PartNote.maximumSize + 1)) == nil)
        // What the library writes beside a download in one piece.
        #expect(PartNote(Data(#"{"validator":"\"a\"","file":{"device":1,"inode":2}}"#.utf8)) == nil)
    }
}
