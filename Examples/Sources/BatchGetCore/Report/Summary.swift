// SPDX-License-Identifier: MIT

/// How a run ended, in numbers.
package struct Summary: Sendable, Equatable {
    package private(set) var done = 0
    package private(set) var skipped = 0
    package private(set) var failed = 0
    package private(set) var cancelled = 0
    /// Bytes that came in this run.
    package private(set) var receivedBytes: Int64 = 0

    package init(_ statuses: [DownloadStatus]) {
        for status in statuses {
            switch status.state {
            case .waiting, .checking, .active: break
            case .done: done += 1
            case .skipped: skipped += 1
            case .failed: failed += 1
            case .cancelled: cancelled += 1
            }
            receivedBytes += status.receivedBytes
        }
    }

    /// One line: "2 done, 1 skipped, 1 failed; 12.3 MB in 0:04".
    package func line(isInterrupted: Bool, duration: Duration) -> String {
        let counts = [(done, "done"), (skipped, "skipped"), (failed, "failed"), (cancelled, "cancelled")]
        let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let figures = "\(Figures.bytes(receivedBytes)) in \(Figures.clock(duration))"
        let outcome = (parts.isEmpty ? "nothing to do" : parts.joined(separator: ", ")) + "; " + figures
        guard isInterrupted else { return outcome }
        return "interrupted: \(outcome); the same command goes on from here"
    }
}
