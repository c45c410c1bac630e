// SPDX-License-Identifier: MIT

/// Who a transfer reports to. Every method is called on the network thread, never with a lock held, and must return
/// at once: no blocking call, no user code.
///
/// The engine holds the handler strongly from `TransportEngine.start(_:)` until `transfer(_:didFinish:)` has returned,
/// which is called exactly once for every started transfer, last.
package protocol TransferHandler: AnyObject, Sendable {
    /// libcurl is about to get the transfer: once, or twice when it is tried again on a fresh connection.
    func transferDidBegin(_ transfer: Transfer)
    /// An interim head arrived: a 1xx other than 100 and 101.
    func transfer(_ transfer: Transfer, didReceiveInterim head: ResponseHead)
    /// A response head arrived: not a 1xx, and not a 401 or 407 that libcurl answers by itself.
    func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> BodyDelivery
    /// Content arrived, decoded. The bytes are valid during the call only. After `.pause` the same bytes are delivered
    /// again, perhaps with more, once `TransportEngine.resumeReceiving(_:)` was called.
    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> ReceiveResult
    /// `total` bytes of the request's content have been handed to the connection so far.
    func transfer(_ transfer: Transfer, didSend total: Int64)
    /// The end: nothing is called for this transfer afterwards.
    func transfer(_ transfer: Transfer, didFinish outcome: TransferOutcome)
}

extension TransferHandler {
    package func transferDidBegin(_ transfer: Transfer) {}
    package func transfer(_ transfer: Transfer, didReceiveInterim head: ResponseHead) {}
}

/// What to do with the content of a response.
package enum BodyDelivery: Sendable {
    /// Hand it to the handler.
    case deliver
    /// Read it so that the connection stays usable, but drop it. If it is long, the connection is closed instead, and
    /// the transfer still finishes as completed.
    case discard
    /// End the transfer now with this error.
    case fail(TransferError)
}

/// What the handler did with a piece of content.
package enum ReceiveResult: Sendable {
    case accepted
    case pause
    /// Taken as far as it is wanted: the rest of the content is not, and the transfer still finishes as completed.
    case enough
    case fail(TransferError)
}

/// How a transfer ended.
package struct TransferOutcome: Sendable {
    /// nil: the exchange is complete, whatever its status code.
    package var error: TransferError?
    package var timings: TransferTimings
    /// Field lines that came after the content, as they came.
    package var trailers: [UInt8] = []
    package init(error: TransferError?, timings: TransferTimings) {
        self.error = error
        self.timings = timings
    }
}

/// Phase times in seconds since the transfer was handed to libcurl, and what travelled. Zero: did not happen.
///
/// An object, because what it says is handed on and kept as a whole, and hardly ever read.
// Sendable because whoever makes one sets it before anybody else has it.
package final class TransferTimings: @unchecked Sendable {
    /// Seconds spent in the engine's waiting list before that.
    package var queued = 0.0
    package var nameLookup = 0.0
    package var connect = 0.0
    package var secureConnect = 0.0
    package var preTransfer = 0.0
    /// Until the request's last byte was handed on; as `preTransfer` without content.
    package var requestEnd = 0.0
    /// How far the transfer came.
    package var phase = TransferPhase.nameLookup
    package var firstByte = 0.0
    package var total = 0.0
    package var bytesSent: Int64 = 0
    package var bytesReceived: Int64 = 0
    package var headerBytesReceived: Int64 = 0
    /// Of the request line and header fields.
    package var headerBytesSent: Int64 = 0
    /// Whether an open connection was used.
    package var reusedConnection = false
    /// "1.0", "1.1", "2" or "" when there was no response.
    package var httpVersion = ""
    package var remoteAddress = ""
    package var remotePort = 0
    /// This end of the connection.
    package var localAddress = ""
    package var localPort = 0
    /// "TLSv1.3", and the cipher suite's name; "" without TLS.
    package var tlsVersion = ""
    package var tlsCipher = ""
    /// The suite's number (IANA); 0 without TLS.
    package var tlsCipherSuite: UInt16 = 0
    package init() {}
}
