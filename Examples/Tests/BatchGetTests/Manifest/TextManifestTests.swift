// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Testing

private func entry(
    _ url: String, _ output: String, id: String? = nil, sha256: Data? = nil, after: [String] = [],
    group: String? = nil
) throws -> ManifestEntry {
    ManifestEntry(
        url: try #require(URL(string: url)), output: output, id: id, sha256: sha256, after: after, group: group)
}

@Suite("Text manifests") struct TextManifestTests {
    static let known =
        "mirrors, out, dir, header, sha256, checksum, size, id, after, group, split, min-split-size, max-tries, retry-wait, "
        + "limit-rate"
    static let digits = String(repeating: "0aF9", count: 16)

    @Test(
        "A line is a URL and options; quotes, comments, blanks and line ends mean what the manual says",
        arguments: [
            ("http://h/a.iso", "http://h/a.iso", "a.iso"),
            ("  \thttp://h/a.iso\t  ", "http://h/a.iso", "a.iso"),
            ("http://h/a.iso\r\n", "http://h/a.iso", "a.iso"),
            ("\u{FEFF}http://h/a.iso", "http://h/a.iso", "a.iso"),
            ("# first\n\n   # second\nhttp://h/a # third", "http://h/a", "a"),
            ("http://h/a#part", "http://h/a#part", "a"),
            ("http://h/a?x=1&y=2", "http://h/a?x=1&y=2", "a"),
            ("url=http://h/a", "http://h/a", "a"),
            ("url=\"http://h/a?q=1\"", "http://h/a?q=1", "a"),
            ("\"http://h/a\" out=b", "http://h/a", "b"),
            ("http://h/a out=\"my file.txt\"", "http://h/a", "my file.txt"),
            ("http://h/a out=\"a \\\"b\\\" \\\\ \\c\"", "http://h/a", "a \"b\" \\ \\c"),
            ("http://h/a out=it's", "http://h/a", "it's"),
            ("http://h/a out=\"#1\"", "http://h/a", "#1"),
            ("http://h/a out=x#1", "http://h/a", "x#1"),
            ("http://h/a out=./x//y/./z", "http://h/a", "x/y/z"),
            ("http://h/a out=..x", "http://h/a", "..x"),
            ("http://h", "http://h", "index.html"),
            ("http://h/dir/", "http://h/dir/", "index.html"),
            ("http://h/a%20b%C3%A9", "http://h/a%20b%C3%A9", "a bé"),
            ("HTTPS://h:8443/a", "HTTPS://h:8443/a", "a"),
            ("http://h/ä", "http://h/%C3%A4", "ä"),
            ("\u{FEFF}http://h/ä%20b?u=%2F&a[b]\r", "http://h/%C3%A4%20b?u=%2F&a%5Bb%5D", "ä b"),
            ("http://bücher.de/%2Fä/100%", "http://xn--bcher-kva.de/%2F%C3%A4/100%25", "100%"),
            ("http://h/caf%E9", "http://h/caf%E9", "caf%E9"),
            ("http://[::1]:80/a", "http://[::1]:80/a", "a"),
        ])
    func line(_ text: String, _ url: String, _ output: String) throws {
        #expect(try entries(text) == [entry(url, output)])
    }

    @Test("All options")
    func options() throws {
        let digest = Data((0..<16).flatMap { _ in [0x0A, 0xF9] as [UInt8] })
        let found = try entries(
            """
            http://h/1 id=one group=g
            http://h/2 id="number two" sha256=\(Self.digits)
            http://h/3 out=d/3 after=one,2nd after="number two" after=one
            http://h/4 id=2nd
            """)
        #expect(
            try found == [
                entry("http://h/1", "1", id: "one", group: "g"),
                entry("http://h/2", "2", id: "number two", sha256: digest),
                entry("http://h/3", "d/3", id: "d/3", after: ["one", "2nd", "number two"]),
                entry("http://h/4", "4", id: "2nd"),
            ])
    }

    @Test(
        "Nothing to download is a manifest, too", arguments: ["", "\n\n", "# nothing\n", "[]", "{\"downloads\": []}"])
    func empty(_ text: String) throws {
        #expect(try entries(text).isEmpty)
    }

    @Test(
        "What is wrong is told with its line",
        arguments: [
            ("http://h/a b", "list:1: word 2 is not an option: after the URL come key=value pairs"),
            ("http://h/a sizes=3", "list:1: word 2 is an unknown option; known: \(Self.known)"),
            ("http://h/a url=x", "list:1: word 2 is an unknown option; known: \(Self.known)"),
            ("http://h/a out=x out=y", "list:1: out: is given twice"),
            ("\nhttp://h/a out=\"x", "list:2: the closing quote of word 2 is missing"),
            ("http://h/a out=\"x\"y", "list:1: a blank is missing after the closing quote of word 2"),
            ("out=x", "list:1: url: is missing"),
            ("h/a", "list:1: url: \"h/a\" is not a URL"),
            ("ftp://me:secret@h/a", "list:1: url: \"ftp://h/a\" is neither http nor https"),
            ("http:///a", "list:1: url: \"http:///a\" has no host"),
            ("http://h/a sha256=12", "list:1: sha256: has to be 64 hexadecimal digits, not \"12\""),
            ("http://h/a sha256=", "list:1: sha256: has to be 64 hexadecimal digits, not \"\""),
            ("http://h/a out=", "list:1: out: is empty"),
            ("http://h/a out=d/", "list:1: out: \"d/\" is a directory, not a file"),
            ("http://h/a out=.", "list:1: out: \".\" is a directory, not a file"),
            (
                "http://h/a out=/etc/x",
                "list:1: out: \"/etc/x\" is an absolute path; it has to be below the output directory"
            ),
            (
                "http://h/a out=d/../../x",
                "list:1: out: \"d/../../x\" contains \"..\"; it has to be below the output directory"
            ),
            // A slash and the mark after it are one Character, and no component of ".." is seen between such.
            (
                "http://h/a out=../\u{301}x",
                "list:1: out: \"../\u{301}x\" contains \"..\"; it has to be below the output directory"
            ),
            (
                "http://h/a out=d/\u{301}/../\u{301}../x",
                "list:1: out: \"d/\u{301}/../\u{301}../x\" contains \"..\"; it has to be below the output directory"
            ),
            (
                "http://h/a out=/\u{301}etc",
                "list:1: out: \"/\u{301}etc\" is an absolute path; it has to be below the output directory"
            ),
            ("http://h/a out=d/\u{200D}/", "list:1: out: \"d/\u{200D}/\" is a directory, not a file"),
            (
                "http://h/..%2F%CC%81x",
                "list:1: out: is missing, and the URL ends in \"..%2F%CC%81x\", which is no name for a file"
            ),
            (
                "http://h/a%2F%CC%81%2F..",
                "list:1: out: is missing, and the URL ends in \"a%2F%CC%81%2F..\", which is no name for a file"
            ),
            ("http://h/a id=x,\u{301}y", "list:1: id: must not contain a comma: \"after\" separates with it"),
            ("http://h/a out=\"\u{1B}[2J\"", "list:1: out: \"\\u{1B}[2J\" contains control characters"),
            (
                "http://h/%2E%2E%2Fx",
                "list:1: out: is missing, and the URL ends in \"%2E%2E%2Fx\", which is no name for a file"
            ),
            ("http://h/%00", "list:1: out: is missing, and the URL ends in \"%00\", which is no name for a file"),
            ("http://h/a id=", "list:1: id: is empty"),
            ("http://h/a id=x,y", "list:1: id: must not contain a comma: \"after\" separates with it"),
            ("http://h/a group=", "list:1: group: is empty"),
            ("http://h/a after=", "list:1: after: contains an empty id"),
            ("http://h/a after=b", "list:1: after: there is no entry \"b\""),
            ("http://h/a after=a", "list:1: after: a cycle: a after a"),
        ])
    func wrong(_ text: String, _ message: String) {
        #expect(problems(text) == [message])
    }

    @Test(
        "What is wrong with a line is told without a field's value, and without user name and password",
        arguments: [
            ("https://h/a header=Authorization: Bearer secret", 2),
            ("https://h/a header=Authorization: Basic secret==", 2),
            ("https://h/a header=\"Authorization: Bearer secret", 1),
            ("https://h/a header=\"Authorization: Bearer secret\"x", 1),
            ("\"https://u:secret@h/a", 1),
        ])
    func secrets(_ text: String, _ count: Int) {
        let found = problems(text)
        #expect(found.count == count)
        #expect(!found.joined().contains("secret"))
    }

    @Test("A name of 240 bytes is the longest")
    func longestName() throws {
        let longest = String(repeating: "x", count: 240)
        #expect(try entries("http://h/a out=d/\(longest)").first?.output == "d/\(longest)")
        #expect(problems("http://h/a out=d/x\(longest)").first?.contains("is too long") == true)
        #expect(problems("http://h/x\(longest)").count == 1)
        #expect(problems("http://h/a out=\(String(repeating: "x", count: 256))/y").count == 1)
    }

    @Test("A path of 2048 bytes is the longest, and an id")
    func longestPath() throws {
        let longest = String(repeating: "d/", count: 1023) + "xx"
        #expect(try entries("http://h/a out=\(longest)").first?.output == longest)
        #expect(problems("http://h/a out=\(longest)x").first?.contains("is too long") == true)
        #expect(problems("http://h/a id=\(longest)x").first?.contains("is too long") == true)
        #expect(problems("http://h/a after=\(longest)x") == ["list:1: after: contains an id that is too long"])
    }

    @Test("Two spellings of a letter are two files", arguments: ["e\u{301}", "\u{1112}\u{1161}\u{11AB}"])
    func spellings(name: String) throws {
        let other = name.precomposedStringWithCanonicalMapping
        #expect(try entries("http://h/1 out=\(name) id=1\nhttp://h/2 out=\(other) id=2").count == 2)
    }

    @Test("A blank or a quote is one, whatever mark follows it")
    func marks() throws {
        #expect(problems("http://h/a \u{301}b").count == 1)
        #expect(problems("http://h/a out=\"x\u{301}\"") == [])
        #expect(
            problems("http://h/a out=\"x\"\u{301}")
                == ["list:1: a blank is missing after the closing quote of word 2"])
    }

    @Test("A line that is not UTF-8 is told, with the others")
    func encoding() {
        let data = Data("http://h/a\n".utf8) + [0xFF, 0xFE] + Data("\nhttp://h/a after=b".utf8)
        #expect(
            throws: ManifestError(
                source: "list",
                problems: [
                    ManifestProblem(.line(2), "is not UTF-8"),
                    ManifestProblem(
                        .line(3), "out", "\"a\" is written by line 1 already; name another with \"out\""),
                ])
        ) { try Manifest(data, source: "list") }
    }
}
