// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The place where the content of a response goes. Kept for the life of the operation, over every pause and resume.
///
/// Everything is called on the network thread, and nothing blocks it: sinks with blocking work have their own queue.
protocol ResponseSink: AnyObject, Sendable {
    /// Called before the first attempt; again, without effect, before further ones.
    func open(_ events: any ResponseSinkEvents)
    /// Takes all the bytes, or none and answers `.pause`; `ResponseSinkEvents.sinkHasSpace()` follows then.
    func write(_ bytes: UnsafeRawBufferPointer) -> ReceiveResult
    /// Bytes taken of the present content, as they came: the offset at which a resumed transfer goes on.
    var bytesAccepted: Int64 { get }
    /// Bytes of the present content that have come out of its codings.
    var bytesDecoded: Int64 { get }
    /// True if no content at all was taken.
    var isUntouched: Bool { get }
    /// True if what was taken can be thrown away, so that content may begin again.
    var canRestart: Bool { get }
    /// True if a range that begins at `bytesAccepted` may be appended.
    var canContinue: Bool { get }
    /// Content comes from its first byte: what was taken is thrown away, or, where that is not possible, compared with
    /// what comes.
    ///
    /// - Parameter representation: what the content is a part of; nil when it cannot be continued later.
    func begin(_ representation: Representation?, as form: ContentForm)
    /// All content is here: `completion` is called, on any thread, once everything is where it belongs.
    func finish(_ completion: @escaping @Sendable ((any Error)?) -> Void)
    /// The operation failed or was cancelled. `completion` is called, on any thread, once a file was released, so that
    /// another download may have it; at once where the user's code would have to be waited for.
    func discard(_ completion: (@Sendable () -> Void)?)
}

extension ResponseSink {
    func discard() { discard(nil) }
}

/// The receiver of a sink's reports: the exchange that feeds it. Called on any thread.
protocol ResponseSinkEvents: AnyObject, Sendable {
    func sinkHasSpace()
    /// Calls `work` on the network thread once nothing is left to receive for the moment, or before too long.
    func atRest(_ work: @escaping @Sendable () -> Void)
    func sinkFailed(_ error: any Error)
}
