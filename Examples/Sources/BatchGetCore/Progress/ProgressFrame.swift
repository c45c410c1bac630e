// SPDX-License-Identifier: MIT

/// What the live display shows at one moment: one line for each active download and one for all.
package struct ProgressFrame: Sendable, Equatable {
    /// An active download.
    package struct Row: Sendable, Equatable {
        package var name: String
        package var isCheck = false
        package var bytes: Int64
        package var totalBytes: Int64?
        package var rate: Double

        package init(name: String, isCheck: Bool = false, bytes: Int64, totalBytes: Int64?, rate: Double) {
            self.name = name
            self.isCheck = isCheck
            self.bytes = bytes
            self.totalBytes = totalBytes
            self.rate = rate
        }
    }

    /// In the order in which they began.
    package var rows: [Row]
    package var entryCount: Int
    /// Downloaded, or there already.
    package var successCount: Int
    package var failureCount: Int
    package var cancelledCount: Int
    /// Bytes that came in this run, and how fast.
    package var received: Int64
    package var rate: Double
    package var elapsed: Duration
    package var isStopping: Bool
    /// How much of all files is there.
    package var overall: Overall?

    package init(
        rows: [Row], entryCount: Int, successCount: Int, failureCount: Int, cancelledCount: Int, received: Int64,
        rate: Double, elapsed: Duration, isStopping: Bool = false, overall: Overall? = nil
    ) {
        self.rows = rows
        self.entryCount = entryCount
        self.successCount = successCount
        self.failureCount = failureCount
        self.cancelledCount = cancelledCount
        self.received = received
        self.rate = rate
        self.elapsed = elapsed
        self.isStopping = isStopping
        self.overall = overall
    }

    /// The lines for a terminal of a size. None reaches the last column, where some terminals wrap; there is room for the
    /// line that the cursor is on.
    package func lines(columns: Int, rows height: Int) -> [String] {
        let width = max(1, columns - 1)
        let room = max(0, height - 2)
        let layout = RowLayout(width: width, nameWidth: rows.map { Self.label($0) }.map(DisplayText.width).max() ?? 0)
        guard rows.count > room else { return lines(rows, layout) + [totalLine(width)] }
        guard room > 0 else { return [totalLine(width)] }
        let shown = Array(rows.prefix(room - 1))
        let more = DisplayText.truncated("... and \(rows.count - shown.count) more", to: width)
        return lines(shown, layout) + [more, totalLine(width)]
    }

    private func lines(_ rows: [Row], _ layout: RowLayout) -> [String] {
        let names = NameShortener.shortened(rows.map(Self.label), to: layout.nameWidth)
        return zip(rows, names).map { layout.line($0, name: $1) }
    }

    static func label(_ row: Row) -> String {
        (row.isCheck ? "checking " : "") + DisplayText.sanitized(row.name)
    }

    private func totalLine(_ width: Int) -> String {
        var parts = [isStopping ? "stopping" : "\(successCount) of \(entryCount) done"]
        if !rows.isEmpty { parts.append("\(rows.count) active") }
        if failureCount > 0 { parts.append("\(failureCount) failed") }
        if cancelledCount > 0 { parts.append("\(cancelledCount) cancelled") }
        if let overall {
            let share = Figures.percent(overall.bytes, of: overall.total)
            parts.append((overall.isExact ? "" : "~") + String(share.drop { $0 == " " }))
        }
        parts += [Figures.bytes(received), Figures.rate(rate), Figures.clock(elapsed)]
        if let left = overall?.timeLeft(rate: rate) { parts.append("ETA \(Figures.clock(left))") }
        // What comes first matters most.
        while parts.count > 1, parts.joined(separator: "  ").count > width { parts.removeLast() }
        return DisplayText.truncated(parts.joined(separator: "  "), to: width)
    }
}
