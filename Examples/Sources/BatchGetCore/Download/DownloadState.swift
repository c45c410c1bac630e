// SPDX-License-Identifier: MIT

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
        /// Somebody did it in the queue that it is in.
        case elsewhere

        /// For people.
        package var text: String {
            switch self {
            case .interrupted: "interrupted"
            case .group(let id): "\(id) of the same group failed"
            case .dependency(let id): "comes after \(id), which is not there"
            case .elsewhere: "cancelled in the queue"
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
