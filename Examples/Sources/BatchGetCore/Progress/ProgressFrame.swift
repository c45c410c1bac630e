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

    package init(
        rows: [Row], entryCount: Int, successCount: Int, failureCount: Int, cancelledCount: Int, received: Int64,
        rate: Double, elapsed: Duration, isStopping: Bool = false
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
    }

    /// The lines for a terminal of a size. None reaches the last column, where some terminals wrap; there is room for the
    /// line that the cursor is on.
    package func lines(columns: Int, rows height: Int) -> [String] {
        let width = max(1, columns - 1)
        let room = max(0, height - 2)
        let layout = RowLayout(width: width, nameWidth: rows.map { Self.label($0) }.map(DisplayText.width).max() ?? 0)
        guard rows.count > room else { return rows.map(layout.line) + [totalLine(width)] }
        guard room > 0 else { return [totalLine(width)] }
        let shown = rows.prefix(room - 1)
        let more = DisplayText.truncated("... and \(rows.count - shown.count) more", to: width)
        return shown.map(layout.line) + [more, totalLine(width)]
    }

    static func label(_ row: Row) -> String {
        (row.isCheck ? "checking " : "") + DisplayText.sanitized(row.name)
    }

    private func totalLine(_ width: Int) -> String {
        var parts = [isStopping ? "stopping" : "\(successCount) of \(entryCount) done"]
        if !rows.isEmpty { parts.append("\(rows.count) active") }
        if failureCount > 0 { parts.append("\(failureCount) failed") }
        if cancelledCount > 0 { parts.append("\(cancelledCount) cancelled") }
        parts += [Figures.bytes(received), Figures.rate(rate), Figures.clock(elapsed)]
        // What comes first matters most.
        while parts.count > 1, parts.joined(separator: "  ").count > width { parts.removeLast() }
        return DisplayText.truncated(parts.joined(separator: "  "), to: width)
    }
}
