// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Testing

@Suite("JSON manifests") struct JSONManifestTests {
    private func problems(_ text: String) -> [String] {
        do {
            _ = try Manifest(Data(text.utf8), source: "list.json")
            return []
        } catch {
            return error.lines
        }
    }

    @Test(
        "An array, or an object with one",
        arguments: [
            #"[{"url": "http://h/a", "out": "x/y", "id": "1", "group": "g"}, {"url": "http://h/b", "after": ["1"]}]"#,
            """

              {"downloads": [
                 {"url": "http://h/a", "out": "x/y", "id": "1", "group": "g", "sha256": null, "after": []},
                 {"url": "http://h/b", "after": ["1", "1"]}]}
            """,
        ])
    func formats(_ text: String) throws {
        let manifest = try Manifest(Data(text.utf8), source: "list.json")
        #expect(
            try manifest.entries == [
                ManifestEntry(url: #require(URL(string: "http://h/a")), output: "x/y", id: "1", group: "g"),
                ManifestEntry(url: #require(URL(string: "http://h/b")), output: "b", after: ["1"]),
            ])
    }

    @Test("Every wrong field of every entry is told")
    func fields() {
        let text = """
            {"downloads": [
               {"url": "http://h/a", "sha265": "00"},
               {"url": 5, "out": ["x"], "after": "a"},
               "http://h/b",
               {"out": "c", "after": [1]},
               {"url": "http://h/d", "after": ["nobody"]},
               {"url": "http://h/a", "group": {}}
            ], "version": 1}
            """
        #expect(
            problems(text) == [
                "list.json: version: unknown field",
                "list.json: entry 1: sha265: unknown field; known: url, \(TextManifestTests.known)",
                "list.json: entry 2: url: has to be a string",
                "list.json: entry 2: out: has to be a string",
                "list.json: entry 2: after: has to be an array of strings",
                "list.json: entry 3: is not an object",
                "list.json: entry 4: after: has to be an array of strings",
                "list.json: entry 4: url: is missing",
                "list.json: entry 6: group: has to be a string",
                "list.json: entry 6: out: \"a\" is written by entry 1 already; name another with \"out\"",
            ])
    }

    @Test(
        "What is no list of objects is told as such",
        arguments: [
            "{}", #"{"url": "http://h/a"}"#, #"{"downloads": {}}"#, #"{"downloads": null}"#,
        ])
    func shape(_ text: String) {
        #expect(
            problems(text) == [
                "list.json: has to be an array of objects, or an object with such an array under \"downloads\""
            ])
    }

    @Test("A syntax error is told with its line")
    func syntax() {
        let lines = problems("[{\"url\": \"http://h/a\"},\n {\"url\" 5}]")
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("list.json: is not JSON: ") == true)
        #expect(lines.first?.hasSuffix("(line 2)") == true)
        #expect(problems("[{\"url\": \"http://h/a\"}").first?.hasPrefix("list.json: is not JSON: ") == true)
    }

    @Test("A name of many combining marks does not take minutes: a string has a length at most")
    func longStrings() {
        let marks = String(repeating: "\u{301}\u{323}", count: 100_000)
        #expect(problems("[{\"\(marks)\": 1}]") == ["list.json: contains a string of more than 16384 bytes"])
        let path = String(repeating: "\\\"", count: 8000)
        #expect(problems("[{\"url\": \"http://h/\(path)\"}]").count == 1)
        #expect(problems("[{\"url\": \"http://h/\(path)\"}]").first?.contains("16384") == false)
    }
}
