// SPDX-License-Identifier: MIT

/// A line for each download that came to its end.
package final class PlainReporter: ProgressReporter {
    private let failuresOnly: Bool
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - failuresOnly: whether only bad news is told.
    ///   - write: takes a line with its end; one call at a time.
    package init(failuresOnly: Bool, write: @escaping @Sendable (String) -> Void) {
        self.failuresOnly = failuresOnly
        self.write = write
    }

    package func begin() {}

    package func didEnd(_ status: DownloadStatus) {
        guard !failuresOnly || status.isWorthTelling, let message = status.message else { return }
        write(message + "\n")
    }

    package func willStop() {}

    package func finish(_ summary: String?) {
        if let summary { write(summary + "\n") }
    }
}
