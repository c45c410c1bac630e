// SPDX-License-Identifier: MIT

/// An entry and what has become of it so far.
package struct DownloadStatus: Sendable, Equatable {
    package let entry: ManifestEntry
    package var state = DownloadState.waiting
    /// Bytes of the file that are there, those of an earlier run among them, as far as this run has come to know.
    package var bytes: Int64 = 0
    /// Bytes of the file, when known.
    package var totalBytes: Int64?
    /// Bytes that an earlier run had left and this one did not ask for again.
    package var resumedFrom: Int64 = 0
    /// The status code of the last response.
    package var statusCode: Int?
    /// When the download, or the check, began.
    package var started: ContinuousClock.Instant?
    /// How long it took; nil until the end, and for what never began.
    package var duration: Duration?

    package init(entry: ManifestEntry) {
        self.entry = entry
    }
}
