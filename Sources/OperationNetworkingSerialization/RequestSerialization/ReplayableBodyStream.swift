// SPDX-License-Identifier: MIT
internal import Foundation

/// A request's body stream that knows its length and whether it can be sent again: after a redirect that keeps the
/// method (307, 308), an authentication challenge, or a pause.
package protocol ReplayableBodyStream: InputStream {
    /// Bytes in all, or nil when that is known only after the last one.
    var contentLength: Int64? { get }
    /// True if `makeReplay()` succeeds.
    var isReplayable: Bool { get }
    /// A new stream of the same bytes, not yet open; this one's state does not matter.
    ///
    /// - Throws: `RequestSerializationError`, code `.bodyNotReplayable`, naming the source that can be read once only.
    func makeReplay() throws -> InputStream
}
