// SPDX-License-Identifier: MIT

/// Which columns the lines of downloads have in a terminal of a width, and how wide they are.
struct RowLayout {
    /// Columns that a name should have before anything else gets its place.
    private static let leastNameWidth = 16
    private static let gap = "  "
    private static let percentWidth = 5
    private static let bytesWidth = 19
    private static let rateWidth = 10
    /// Of the bar, with its brackets.
    private static let barWidths = 12...42

    let nameWidth: Int
    private let barWidth: Int
    private let hasPercent: Bool
    private let hasBytes: Bool
    private let hasRate: Bool

    /// - Parameters:
    ///   - width: columns that may be used.
    ///   - nameWidth: columns of the longest name.
    init(width: Int, nameWidth longest: Int) {
        var room = width - min(longest, Self.leastNameWidth)
        func takes(_ columns: Int) -> Bool {
            guard room >= columns + Self.gap.count else { return false }
            room -= columns + Self.gap.count
            return true
        }
        hasPercent = takes(Self.percentWidth)
        hasBytes = hasPercent && takes(Self.bytesWidth)
        hasRate = hasBytes && takes(Self.rateWidth)
        let hasBar = hasRate && takes(Self.barWidths.lowerBound)
        // What is left goes to the name, as far as it needs it, and then to the bar.
        let name = min(longest, Self.leastNameWidth) + min(room, max(0, longest - Self.leastNameWidth))
        room -= name - min(longest, Self.leastNameWidth)
        nameWidth = min(name, width)
        barWidth = hasBar ? min(Self.barWidths.upperBound, Self.barWidths.lowerBound + room) : 0
    }

    /// - Parameter name: of the row, shortened to `nameWidth`.
    func line(_ row: ProgressFrame.Row, name: String) -> String {
        var cells = [DisplayText.padded(name, to: nameWidth)]
        if barWidth > 0 { cells.append(bar(row)) }
        if hasPercent {
            cells.append(row.totalBytes.map { Figures.percent(row.bytes, of: $0) } ?? "  ? %")
        }
        if hasBytes {
            let total = row.totalBytes.map { " / \(Figures.bytes($0))" } ?? ""
            cells.append(aligned(Figures.bytes(row.bytes) + total, Self.bytesWidth))
        }
        if hasRate { cells.append(aligned(Figures.rate(row.rate), Self.rateWidth)) }
        return cells.joined(separator: Self.gap)
    }

    private func bar(_ row: ProgressFrame.Row) -> String {
        let room = barWidth - 2
        guard let total = row.totalBytes, total > 0 else { return "[\(String(repeating: " ", count: room))]" }
        let filled = Int(Double(min(row.bytes, total)) / Double(total) * Double(room))
        return "[\(String(repeating: "#", count: filled))\(String(repeating: "-", count: room - filled))]"
    }

    /// The text at the right end of a cell.
    private func aligned(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
