// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import Synchronization

/// Writes to standard output: lines, and on a terminal a bar below them that is redrawn in place.
final class Console: Sendable {
    private struct State {
        var bar = ""
        var drawn = ContinuousClock.now
    }

    let isTerminal = isatty(STDOUT_FILENO) == 1
    private let state = Mutex(State())

    func heading(_ text: String) {
        line("")
        line(text)
    }

    func line(_ text: String) {
        state.withLock { state in
            write((state.bar.isEmpty ? "" : "\r\u{1B}[K") + text + "\n" + state.bar)
        }
    }

    /// One request and what came of it.
    func result(_ request: String, _ outcome: String) {
        line("  " + request.padding(toLength: max(28, request.count + 1), withPad: " ", startingAt: 0) + outcome)
    }

    /// Draws the bar, at most 20 times a second; nothing where there is no terminal.
    func bar(_ done: Int, of total: Int, _ note: String) {
        guard isTerminal else { return }
        state.withLock { state in
            let isComplete = done >= total
            guard state.bar.isEmpty || isComplete || ContinuousClock.now - state.drawn > .milliseconds(50) else {
                return
            }
            let share = total > 0 ? min(1, Double(done) / Double(total)) : 0
            let filled = Int(share * 30)
            state.bar =
                "  [\(String(repeating: "#", count: filled))\(String(repeating: "-", count: 30 - filled))] "
                + "\(Int(share * 100)) %  \(note)"
            state.drawn = .now
            write("\r\u{1B}[K" + state.bar)
        }
    }

    /// Removes the bar.
    func endBar() {
        state.withLock { state in
            if !state.bar.isEmpty { write("\r\u{1B}[K") }
            state.bar = ""
        }
    }

    private func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
