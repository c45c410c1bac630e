// SPDX-License-Identifier: MIT
import BatchGetCore
import Testing

@Suite("Text in columns") struct DisplayTextTests {
    @Test(
        "Columns of a text",
        arguments: [
            ("", 0), ("abc", 3), ("äöü", 3), ("e\u{301}", 1), ("日本語", 6), ("한글", 4), ("ｆｕｌｌ", 8), ("ﾊﾝｶｸ", 4),
            ("😀", 2), ("a\u{200B}b", 2), ("→", 1), ("…", 1), ("𠀋", 2),
        ])
    func width(_ text: String, _ columns: Int) {
        #expect(DisplayText.width(text) == columns)
    }

    @Test(
        "A text that is too long loses its middle",
        arguments: [
            ("abcdefghij", 10, "abcdefghij"), ("abcdefghijk", 10, "abcd...ijk"), ("abcdefghijk", 5, "a...k"),
            ("abcdefghijk", 4, "abcd"), ("abcdefghijk", 1, "a"), ("abc", 0, ""),
            // A wide character that would be cut in two is left out.
            ("日本語日本語", 9, "日本...語"), ("日本語日本語", 8, "日...語"), ("日本語", 5, "日..."), ("日本語", 3, "日"),
            ("e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}", 5, "e\u{301}...e\u{301}"),
        ])
    func truncated(_ text: String, _ columns: Int, _ expected: String) {
        let cut = DisplayText.truncated(text, to: columns)
        #expect(cut == expected)
        #expect(DisplayText.width(cut) <= columns)
    }

    @Test("A cell has exactly its width", arguments: ["", "ab", "日本語", "abcdefghijklmn", "日本語日本語日本語"])
    func padded(_ text: String) {
        for columns in 0...20 {
            #expect(DisplayText.width(DisplayText.padded(text, to: columns)) == columns, "\(columns) columns")
        }
    }

    @Test("Nothing in a name moves the cursor or turns the text around")
    func sanitized() {
        #expect(DisplayText.sanitized("a\u{1B}[2Jb\r\n\u{7F}\u{9B}c\u{202E}d\u{2028}") == "a?[2Jb????c?d?")
        #expect(DisplayText.sanitized("日本語 e\u{301} 😀") == "日本語 e\u{301} 😀")
    }

    @Test("Lines are broken at blanks, and words only where one is longer than a line")
    func wrapped() {
        #expect(DisplayText.wrapped("one two three", to: 20) == ["one two three"])
        #expect(DisplayText.wrapped("one two three", to: 8) == ["one two", "  three"])
        #expect(DisplayText.wrapped("abcdefghij", to: 6) == ["abcdef", "  ghij"])
        #expect(DisplayText.wrapped("a 日本語日本語", to: 7) == ["a", "  日本", "  語日", "  本語"])
        #expect(DisplayText.wrapped("", to: 7) == [""])
    }

    @Test("No line of a wrapped text is too long, and none of its words is lost", arguments: 4...40)
    func wrappedWidths(_ columns: Int) {
        let text = "failed some/long/path/with-a-name-日本語.iso The request timed out after 60 seconds   of waiting"
        let lines = DisplayText.wrapped(text, to: columns)
        #expect(lines.allSatisfy { DisplayText.width($0) <= columns })
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }
}
