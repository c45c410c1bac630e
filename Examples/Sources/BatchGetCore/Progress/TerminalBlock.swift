// SPDX-License-Identifier: MIT

/// Lines at the end of what a terminal shows, which are replaced in place.
///
/// The cursor stands on an empty line below them, and is never hidden: whatever ends the program leaves a terminal that
/// needs no repair.
package struct TerminalBlock: Sendable {
    /// The widths of the lines that were drawn.
    private var drawn: [Int] = []
    private var columns = 0

    package init() {}

    /// The characters that replace the block.
    ///
    /// - Parameters:
    ///   - lines: none reaches the last column.
    ///   - messages: lines to go above the block, and stay.
    ///   - columns: of the terminal at this moment.
    ///   - rows: likewise.
    package mutating func replace(with lines: [String], messages: [String] = [], columns: Int, rows: Int) -> String {
        var text = "\r"
        let up = min(height(columns: columns), max(0, rows - 1))
        if up > 0 { text += "\u{1B}[\(up)A" }
        // Over the old lines where they stand the same way, which does not flicker; else on cleared ground.
        let isCleared = !messages.isEmpty || columns != self.columns
        if isCleared { text += "\u{1B}[J" }
        for message in messages { text += message + "\r\n" }
        for line in lines { text += line + (isCleared ? "" : "\u{1B}[K") + "\r\n" }
        if !isCleared { text += "\u{1B}[J" }
        drawn = lines.map(DisplayText.width)
        self.columns = columns
        return text
    }

    /// The characters that take the block away.
    package mutating func clear(messages: [String] = [], columns: Int, rows: Int) -> String {
        replace(with: [], messages: messages, columns: columns, rows: rows)
    }

    /// Rows that the lines take now. Terminals wrap lines anew when they become narrower; one that cuts them off instead
    /// loses as many rows above the block as lines would have been wrapped.
    private func height(columns: Int) -> Int {
        drawn.reduce(0) { $0 + max(1, ($1 + columns - 1) / max(1, columns)) }
    }
}
