/// What has become of an entry.
package enum DownloadState: Sendable, Equatable {
    /// Waits for its turn, or for those it comes after.
    case waiting
    /// The digest of a file that is there is being computed.
    case checking
    /// Being downloaded.
    case active
    /// Downloaded.
    case done
    /// Was there already.
    case skipped
    case failed(String)
    case cancelled(Cancellation)

    /// Why a download was cancelled.
    package enum Cancellation: Sendable, Equatable {
        /// The whole run was.
        case interrupted
        /// A member of its group failed: the id of that.
        case group(String)
        /// One that it comes after failed or was cancelled: the id of that.
        case dependency(String)

        /// For people.
        package var text: String {
            switch self {
            case .interrupted: "interrupted"
            case .group(let id): "\(id) of the same group failed"
            case .dependency(let id): "comes after \(id), which is not there"
            }
        }
    }

    /// Whether nothing more will happen.
    package var isFinal: Bool {
        switch self {
        case .waiting, .checking, .active: false
        case .done, .skipped, .failed, .cancelled: true
        }
    }

    /// Whether the file is there.
    package var isSuccess: Bool { self == .done || self == .skipped }
}

/// An entry and what has become of it so far.
package struct DownloadStatus: Sendable, Equatable {
    package let entry: ManifestEntry
    package var state = DownloadState.waiting
    /// Bytes of the file that are there, those of an earlier run among them.
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
