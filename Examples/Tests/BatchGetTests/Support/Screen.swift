// SPDX-License-Identifier: MIT
import BatchGetCore

/// A model of a terminal that wraps lines, scrolls, and lays wrapped lines out anew when it is resized: what a terminal
/// emulator of today does, as far as the program makes use of it.
struct Screen: Sendable {
    private struct Row: Sendable {
        /// One for each column; the second half of a wide character is empty.
        var cells: [String] = []
        /// The row before was full and goes on here.
        var isContinuation = false

        var text: String { String(cells.joined().reversed().drop { $0 == " " }.reversed()) }
    }

    private(set) var columns: Int
    private(set) var rows: Int
    /// All rows, those that were scrolled out among them.
    private var grid = [Row()]
    /// The first row that is on the screen, and can be reached by the cursor.
    private var top = 0
    private var cursor = (row: 0, column: 0)
    /// How often a line was too long.
    private(set) var wrapCount = 0
    /// Escape sequences that the model does not know.
    private(set) var unknownSequences: [String] = []
    /// How often something was drawn.
    private(set) var feedCount = 0
    private var pending: [UInt8] = []

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// Everything that was ever shown and not overwritten, without empty lines at the end.
    var text: [String] {
        var lines = grid.map(\.text)
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Rows of the screen that have text.
    var visibleText: [String] {
        grid[top...].map(\.text).filter { !$0.isEmpty }
    }

    var cursorColumn: Int { cursor.column }
    /// Whether the cursor is on the row after the last one with text.
    var isCursorBelowText: Bool { cursor.row == text.count && cursor.column == 0 }
    /// Columns of the longest row.
    var longestRow: Int { grid.map { DisplayText.width($0.text) }.max() ?? 0 }

    // MARK: Input

    mutating func feed(_ bytes: some Sequence<UInt8>) {
        feedCount += 1
        pending += bytes
        while let length = completeLength() {
            let unit = Array(pending.prefix(length))
            pending.removeFirst(length)
            unit.first == 0x1B ? perform(unit) : print(String(decoding: unit, as: UTF8.self))
        }
    }

    mutating func feed(_ text: String) {
        feed(Array(text.utf8))
    }

    /// Bytes of the first character or sequence; nil when it is incomplete.
    private func completeLength() -> Int? {
        guard let first = pending.first else { return nil }
        if first == 0x1B {
            guard pending.count > 1 else { return nil }
            guard pending[1] == UInt8(ascii: "[") else { return 2 }
            return pending.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }.map { $0 + 1 }
        }
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        return pending.count >= length ? length : nil
    }

    private mutating func perform(_ sequence: [UInt8]) {
        let text = String(decoding: sequence.dropFirst(), as: UTF8.self)
        let number = Int(text.dropFirst().dropLast()) ?? 1
        switch text.last {
        case "A" where text.first == "[":
            cursor.row = max(top, cursor.row - number)
        case "J" where text == "[J":
            clearRow()
            grid.removeLast(grid.count - 1 - cursor.row)
        case "K" where text == "[K":
            clearRow()
        default:
            unknownSequences.append(text)
        }
    }

    private mutating func clearRow() {
        let cells = grid[cursor.row].cells
        grid[cursor.row].cells = Array(cells.prefix(cursor.column))
    }

    private mutating func print(_ character: String) {
        switch character {
        case "\r": cursor.column = 0
        case "\n": lineFeed(isWrap: false)
        default:
            let width = DisplayText.width(character)
            guard width > 0 else { return }
            if cursor.column + width > columns {
                wrapCount += 1
                lineFeed(isWrap: true)
                cursor.column = 0
            }
            var cells = grid[cursor.row].cells
            while cells.count < cursor.column + width { cells.append(" ") }
            cells[cursor.column] = character
            if width == 2 { cells[cursor.column + 1] = "" }
            grid[cursor.row].cells = cells
            cursor.column += width
        }
    }

    private mutating func lineFeed(isWrap: Bool) {
        cursor.row += 1
        if cursor.row == grid.count { grid.append(Row()) }
        grid[cursor.row].isContinuation = isWrap
        top = max(top, grid.count - rows)
    }

    // MARK: Size

    mutating func resize(columns: Int, rows: Int) {
        var lines: [[String]] = []
        var place = (line: 0, column: 0)
        for (index, row) in grid.enumerated() {
            if !row.isContinuation || lines.isEmpty { lines.append([]) }
            if index == cursor.row { place = (lines.count - 1, lines[lines.count - 1].count + cursor.column) }
            lines[lines.count - 1] += row.cells
        }
        self.columns = columns
        self.rows = rows
        grid = []
        for (index, line) in lines.enumerated() {
            let first = grid.count
            var rest = line[...]
            repeat {
                grid.append(Row(cells: Array(rest.prefix(columns)), isContinuation: grid.count > first))
                rest = rest.dropFirst(columns)
            } while !rest.isEmpty
            if index == place.line { cursor = (first + place.column / columns, place.column % columns) }
        }
        while grid.count <= cursor.row { grid.append(Row(isContinuation: true)) }
        top = max(0, grid.count - rows)
    }
}
