// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import Glibc

/// Draws the downloads on a terminal, at most ten times a second, and writes failures above.
// Sendable because everything mutable is confined to `queue`.
package final class LiveReporter: ProgressReporter, @unchecked Sendable {
    private static let interval = DispatchTimeInterval.milliseconds(100)

    private let board: DownloadBoard
    private let terminal: Terminal
    private let write: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "batchget.display")
    // Below: confined to `queue`.
    private var block = TerminalBlock()
    private var frames = FrameMaker()
    private var messages: [String] = []
    private var last: (lines: [String], columns: Int)?
    private var isStopping = false
    private var timer: (any DispatchSourceTimer)?

    package init(_ board: DownloadBoard, on terminal: Terminal, write: @escaping @Sendable (String) -> Void) {
        self.board = board
        self.terminal = terminal
        self.write = write
    }

    package func begin() {
        queue.async { [self] in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now(), repeating: Self.interval, leeway: .milliseconds(10))
            timer.setEventHandler { [weak self] in self?.draw() }
            timer.activate()
            self.timer = timer
        }
    }

    package func didEnd(_ status: DownloadStatus) {
        guard status.isWorthTelling, let message = status.message else { return }
        queue.async { self.messages.append(message) }
    }

    package func willStop() {
        queue.async { self.isStopping = true }
    }

    package func finish(_ summary: String?) {
        queue.sync {
            if let summary { messages.append(summary) }
            timer?.cancel()
            timer = nil
            let size = terminal.size
            write(block.clear(messages: takeMessages(columns: size.columns), columns: size.columns, rows: size.rows))
        }
    }

    /// The size is asked for each time, as late as possible: that is cheap, and a change is seen within a tenth of a
    /// second.
    private func draw() {
        let frame = frames.frame(of: board.snapshot, at: .now, isStopping: isStopping)
        let size = terminal.size
        let lines = frame.lines(columns: size.columns, rows: size.rows)
        if messages.isEmpty, let last, last.lines == lines, last.columns == size.columns { return }
        last = (lines, size.columns)
        let above = takeMessages(columns: size.columns)
        write(block.replace(with: lines, messages: above, columns: size.columns, rows: size.rows))
    }

    private func takeMessages(columns: Int) -> [String] {
        defer { messages = [] }
        return messages.flatMap { DisplayText.wrapped($0, to: columns - 1) }
    }
}
