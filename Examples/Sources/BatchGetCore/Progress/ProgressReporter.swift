// SPDX-License-Identifier: MIT

/// Tells people how the downloads are going.
package protocol ProgressReporter: Sendable {
    /// The downloads are about to begin.
    func begin()
    /// One came to its end.
    func didEnd(_ status: DownloadStatus)
    /// Everything is being cancelled.
    func willStop()
    /// Nothing more will happen. Everything has been written when this returns, a last line among it.
    func finish(_ summary: String?)
}

extension DownloadStatus {
    /// What a line says of an end: "done NAME BYTES", "failed NAME: reason"; nil before it.
    package var message: String? {
        let name = DisplayText.sanitized(entry.output)
        switch state {
        case .waiting, .checking, .active: return nil
        case .done: return "done \(name) \(bytes)"
        case .skipped: return "skipped \(name) \(bytes)"
        case .failed(let reason): return "failed \(name) " + DisplayText.sanitized(reason)
        case .cancelled(let reason): return "cancelled \(name) " + DisplayText.sanitized(reason.text)
        }
    }

    /// Whether the end is bad news that a user has not asked for.
    var isWorthTelling: Bool {
        switch state {
        case .failed, .cancelled(.group), .cancelled(.dependency), .cancelled(.elsewhere): true
        case .waiting, .checking, .active, .done, .skipped, .cancelled(.interrupted): false
        }
    }
}
