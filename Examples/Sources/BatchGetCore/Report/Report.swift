// SPDX-License-Identifier: MIT
package import Foundation

/// What `--json` prints.
package struct Report: Codable, Sendable, Equatable {
    /// One entry of the manifest.
    package struct Download: Codable, Sendable, Equatable {
        package var id: String
        /// Without user name and password.
        package var url: String
        /// Below the output directory.
        package var output: String
        package var group: String?
        /// "done", "skipped", "failed", "cancelled".
        package var state: String
        /// Why it was cancelled: "interrupted", "group", "dependency", "queue".
        package var reason: String?
        /// The id of the entry that was the reason.
        package var cause: String?
        /// The last response's status code.
        package var status: Int?
        /// Bytes of the file, or of what is there of it.
        package var bytes: Int64
        /// Bytes of these that an earlier run had left.
        package var resumedFrom: Int64
        /// In seconds; nil if it never began.
        package var duration: Double?
        package var error: String?
    }

    package var exitCode: Int32
    /// The signal that stopped the run.
    package var signal: Int32?
    package var done: Int
    package var skipped: Int
    package var failed: Int
    package var cancelled: Int
    /// Bytes that came in this run.
    package var receivedBytes: Int64
    /// In seconds.
    package var duration: Double
    /// In the order of the manifest.
    package var downloads: [Download]

    package init(_ statuses: [DownloadStatus], signal: Int32?, duration: Duration) {
        let summary = Summary(statuses)
        exitCode = ExitStatus.of(statuses, signal: signal)
        self.signal = signal
        done = summary.done
        skipped = summary.skipped
        failed = summary.failed
        cancelled = summary.cancelled
        receivedBytes = summary.receivedBytes
        self.duration = Self.rounded(duration)
        downloads = statuses.map(Download.init)
    }

    /// As text, with a line end.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }

    /// To milliseconds.
    static func rounded(_ duration: Duration) -> Double {
        (duration.seconds * 1000).rounded() / 1000
    }
}

extension Report.Download {
    init(_ status: DownloadStatus) {
        id = status.entry.id
        url = status.entry.url.publicText
        output = status.entry.output
        group = status.entry.group
        self.status = status.statusCode
        bytes = status.bytes
        resumedFrom = status.resumedFrom
        duration = status.duration.map(Report.rounded)
        switch status.state {
        case .waiting, .checking, .active: state = "unfinished"
        case .done: state = "done"
        case .skipped: state = "skipped"
        case .failed(let text):
            state = "failed"
            error = text
        case .cancelled(let cancellation):
            state = "cancelled"
            error = cancellation.text
            switch cancellation {
            case .interrupted: reason = "interrupted"
            case .group(let id): (reason, cause) = ("group", id)
            case .dependency(let id): (reason, cause) = ("dependency", id)
            case .elsewhere: reason = "queue"
            }
        }
    }
}
