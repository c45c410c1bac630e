// SPDX-License-Identifier: MIT

/// A table of text: the first column to the left, the others to the right.
struct Table {
    private var rows: [[String]]

    init(_ columns: String...) {
        rows = [columns]
    }

    mutating func add(_ cells: String...) {
        rows.append(cells)
    }

    /// In Markdown, which reads well in a terminal too.
    var text: String {
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let padded = widths.indices.map { column in
                let cell = column < cells.count ? cells[column] : ""
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }
            return "| " + padded.joined(separator: " | ") + " |\n"
        }
        let rule = widths.indices.map { column in
            let dashes = String(repeating: "-", count: max(3, widths[column]) + 1)
            return column == 0 ? dashes + "-" : dashes + ":"
        }
        return line(rows[0]) + "|" + rule.joined(separator: "|") + "|\n" + rows.dropFirst().map(line).joined()
    }
}
