// SPDX-License-Identifier: MIT
import BatchGetCore
import Testing

@Suite("The block of lines that is replaced in place") struct TerminalBlockTests {
    private static let lines = ["first  10 %", "second  20 %", "total"]

    /// A terminal with text on it already.
    private func screen(columns: Int, rows: Int, linesBefore: Int = 3) -> Screen {
        var screen = Screen(columns: columns, rows: rows)
        for index in 0..<linesBefore { screen.feed("before \(index)\r\n") }
        return screen
    }

    private func before(_ count: Int = 3) -> [String] {
        (0..<count).map { "before \($0)" }
    }

    @Test("It grows, shrinks and goes, and what was there before stays", arguments: [5, 8, 24])
    func replacing(_ rows: Int) {
        var screen = screen(columns: 30, rows: rows, linesBefore: 7)
        var block = TerminalBlock()
        for lines in [Self.lines, ["a longer line than before"] + Self.lines, ["total"], [], Self.lines] {
            screen.feed(block.replace(with: lines, columns: 30, rows: rows))
            #expect(screen.text == before(7) + lines)
            #expect(screen.isCursorBelowText)
        }
        screen.feed(block.clear(columns: 30, rows: rows))
        #expect(screen.text == before(7))
        #expect(screen.isCursorBelowText)
        #expect(screen.wrapCount == 0)
        #expect(screen.unknownSequences.isEmpty)
    }

    @Test("Messages go above it and stay")
    func messages() {
        var screen = screen(columns: 30, rows: 6)
        var block = TerminalBlock()
        screen.feed(block.replace(with: Self.lines, columns: 30, rows: 6))
        screen.feed(block.replace(with: Self.lines, messages: ["one", "two"], columns: 30, rows: 6))
        #expect(screen.text == before() + ["one", "two"] + Self.lines)
        screen.feed(block.replace(with: ["total"], messages: ["three"], columns: 30, rows: 6))
        #expect(screen.text == before() + ["one", "two", "three", "total"])
        screen.feed(block.clear(messages: ["four"], columns: 30, rows: 6))
        #expect(screen.text == before() + ["one", "two", "three", "four"])
    }

    @Test("A terminal that becomes narrower or wider is left as clean", arguments: [4, 7, 11, 12, 20, 29, 30, 31, 80])
    func resizing(_ columns: Int) {
        var screen = Screen(columns: 30, rows: 24)
        screen.feed("ok\r\n")
        var block = TerminalBlock()
        screen.feed(block.replace(with: Self.lines, columns: 30, rows: 24))
        screen.resize(columns: columns, rows: 24)
        let short = ["1", "2", "3"]
        screen.feed(block.replace(with: short, columns: columns, rows: 24))
        #expect(screen.text == ["ok"] + short)
        screen.resize(columns: 30, rows: 24)
        screen.feed(block.replace(with: Self.lines, columns: 30, rows: 24))
        #expect(screen.text == ["ok"] + Self.lines)
    }

    @Test("What was echoed below it goes, too")
    func echo() {
        var screen = screen(columns: 30, rows: 24)
        var block = TerminalBlock()
        screen.feed(block.replace(with: Self.lines, columns: 30, rows: 24))
        screen.feed("^C")
        screen.feed(block.replace(with: ["stopping"], columns: 30, rows: 24))
        #expect(screen.text == before() + ["stopping"])
    }

    @Test("The model of a terminal wraps, so that a line that is too long would be seen")
    func model() {
        var screen = Screen(columns: 5, rows: 3)
        screen.feed("12345")
        #expect(screen.wrapCount == 0)
        screen.feed("6")
        #expect(screen.wrapCount == 1)
        #expect(screen.text == ["12345", "6"])
        screen.resize(columns: 3, rows: 3)
        #expect(screen.text == ["123", "456"])
    }
}
