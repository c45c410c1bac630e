// SPDX-License-Identifier: MIT

/// The receiver of a transfer's reports. Every method is called on the network thread, never with a lock held, and must
/// return at once: no blocking call, no user code.
///
/// The engine holds the handler strongly from `TransportEngine.start(_:)` until `transfer(_:didFinish:)` has returned,
/// which is called exactly once for every started transfer, last.
package protocol TransferHandler: AnyObject, Sendable {
    /// libcurl is about to get the transfer: once, or twice when it is tried again on a fresh connection.
    func transferDidBegin(_ transfer: Transfer)
    /// The transfer has to wait for a slot of its origin: none was free, or it gave its slot back before it sent
    /// anything.
    func transferDidQueue(_ transfer: Transfer)
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
    package func transferDidQueue(_ transfer: Transfer) {}
    package func transfer(_ transfer: Transfer, didReceiveInterim head: ResponseHead) {}
}

/// The treatment of a response's content.
package enum BodyDelivery: Sendable {
    /// Hand it to the handler.
    case deliver
    /// Read it so that the connection stays usable, but drop it. If it is long, the connection is closed instead, and
    /// the transfer still finishes as completed.
    case discard
    /// End the transfer now with this error.
    case fail(TransferError)
}

/// The handler's answer to a piece of content.
package enum ReceiveResult: Sendable {
    case accepted
    case pause
    /// Taken as far as it is wanted: the rest of the content is dropped, and the transfer still finishes as completed.
    case enough
    case fail(TransferError)
}

/// The result of a transfer.
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

/// Phase times in seconds since the transfer was handed to libcurl, with byte counts and facts about the connection.
/// Zero: did not happen.
///
/// An object, because what it says is handed on and kept as a whole, and hardly ever read.
package final class TransferTimings: Sendable {
    /// Seconds spent in the engine's waiting list before that.
    package let queued: Double
    package let nameLookup: Double
    package let connect: Double
    package let secureConnect: Double
    package let preTransfer: Double
    /// The time until the request's last byte was handed on; as `preTransfer` without content.
    package let requestEnd: Double
    /// The phase that the transfer had reached.
    package let phase: TransferPhase
    package let firstByte: Double
    package let total: Double
    package let bytesSent: Int64
    package let bytesReceived: Int64
    package let headerBytesReceived: Int64
    /// The bytes of the request line and header fields.
    package let headerBytesSent: Int64
    /// True if an open connection was used.
    package let reusedConnection: Bool
    /// "1.0", "1.1", "2" or "" when there was no response.
    package let httpVersion: String
    package let remoteAddress: String
    package let remotePort: Int
    /// This end of the connection.
    package let localAddress: String
    package let localPort: Int
    /// "TLSv1.3", and the cipher suite's name; "" without TLS.
    package let tlsVersion: String
    package let tlsCipher: String
    /// The suite's number (IANA); 0 without TLS.
    package let tlsCipherSuite: UInt16
    /// Creates timings in which every value that is not given is zero, or empty.
    package init(
        queued: Double = 0, nameLookup: Double = 0, connect: Double = 0, secureConnect: Double = 0,
        preTransfer: Double = 0, requestEnd: Double = 0, phase: TransferPhase = .nameLookup, firstByte: Double = 0,
        total: Double = 0, bytesSent: Int64 = 0, bytesReceived: Int64 = 0, headerBytesReceived: Int64 = 0,
        headerBytesSent: Int64 = 0, reusedConnection: Bool = false, httpVersion: String = "",
        remoteAddress: String = "", remotePort: Int = 0, localAddress: String = "", localPort: Int = 0,
        tlsVersion: String = "", tlsCipher: String = "", tlsCipherSuite: UInt16 = 0
    ) {
        self.queued = queued
        self.nameLookup = nameLookup
        self.connect = connect
        self.secureConnect = secureConnect
        self.preTransfer = preTransfer
        self.requestEnd = requestEnd
        self.phase = phase
        self.firstByte = firstByte
        self.total = total
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.headerBytesReceived = headerBytesReceived
        self.headerBytesSent = headerBytesSent
        self.reusedConnection = reusedConnection
        self.httpVersion = httpVersion
        self.remoteAddress = remoteAddress
        self.remotePort = remotePort
        self.localAddress = localAddress
        self.localPort = localPort
        self.tlsVersion = tlsVersion
        self.tlsCipher = tlsCipher
        self.tlsCipherSuite = tlsCipherSuite
    }
}
