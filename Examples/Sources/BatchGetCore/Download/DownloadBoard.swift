// SPDX-License-Identifier: MIT
internal import Synchronization

/// What has become of all entries, for everybody to look at.
package final class DownloadBoard: Sendable {
    private let statuses: Mutex<[DownloadStatus]>

    package init(_ entries: [ManifestEntry]) {
        statuses = Mutex(entries.map(DownloadStatus.init))
    }

    /// All of them at this moment, in the order of the manifest.
    package var snapshot: [DownloadStatus] { statuses.withLock { $0 } }

    /// Adds one that was not known of before; its index.
    func add(_ entry: ManifestEntry) -> Int {
        statuses.withLock { statuses in
            statuses.append(DownloadStatus(entry: entry))
            return statuses.count - 1
        }
    }

    subscript(index: Int) -> DownloadStatus { statuses.withLock { $0[index] } }

    /// Changes one, unless nothing more can happen to it.
    ///
    /// - Returns: what it is now.
    @discardableResult
    func update(_ index: Int, _ change: (inout DownloadStatus) -> Void) -> DownloadStatus {
        statuses.withLock { statuses in
            if !statuses[index].state.isFinal { change(&statuses[index]) }
            return statuses[index]
        }
    }

    func begin(_ index: Int, _ state: DownloadState) {
        update(index) {
            $0.state = state
            if $0.started == nil { $0.started = .now }
        }
    }

    func progress(_ index: Int, received: Int, total: Int64, expected: Int64) {
        update(index) {
            if $0.bytes == 0 { $0.resumedFrom = max(0, total - Int64(received)) }
            $0.bytes = total
            $0.totalBytes = expected >= 0 ? expected : nil
        }
    }

    func end(_ index: Int, _ state: DownloadState, bytes: Int64? = nil, statusCode: Int? = nil) -> DownloadStatus {
        update(index) {
            $0.state = state
            $0.statusCode = statusCode
            if let bytes {
                $0.bytes = bytes
                $0.totalBytes = bytes
            }
            $0.duration = $0.started.map { ContinuousClock.now - $0 }
        }
    }
}
