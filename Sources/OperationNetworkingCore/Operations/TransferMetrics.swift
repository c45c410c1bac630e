// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingTransport

/// Times and sizes of an operation's last transfer. Times are in seconds since the transfer got its connection slot, as
/// libcurl counts them; a phase that did not happen is 0.
public struct TransferMetrics: Sendable {
    /// Seconds spent waiting for a connection slot before.
    public let queueTime: TimeInterval
    /// Until the host's name was resolved.
    public let nameLookupTime: TimeInterval
    /// Until the TCP connection stood.
    public let connectTime: TimeInterval
    /// Until the TLS handshake was done.
    public let secureConnectTime: TimeInterval
    /// Until the request was about to be sent.
    public let requestStartTime: TimeInterval
    /// Until the last byte of the request's content was handed to the connection. As `requestStartTime` without
    /// content.
    public let requestEndTime: TimeInterval
    /// Until the first line of the response, after interim ones (1xx).
    public let firstByteTime: TimeInterval
    /// Until the end.
    public let totalTime: TimeInterval
    /// Bytes of content sent.
    public let bytesSent: Int64
    /// Bytes of content received, as they travelled, before decoding.
    public let bytesReceived: Int64
    /// True if a connection that was open already was used.
    public let reusedConnection: Bool
    /// The version of HTTP, "1.0", "1.1" or "2". Empty when there was no response.
    public let httpVersion: String
    /// The server's address. Empty when no connection was made.
    public let remoteAddress: String
    /// The server's port. 0 when no connection was made.
    public let remotePort: Int
    /// The address of this end of the connection. Empty when no connection was made.
    public let localAddress: String
    /// The port of this end of the connection. 0 when no connection was made.
    public let localPort: Int
    /// Bytes of the request line and header fields, as HTTP/1 writes them.
    public let headerBytesSent: Int64
    /// Bytes of status lines and header fields, as HTTP/1 writes them, also of interim responses and trailers.
    public let headerBytesReceived: Int64
    /// Bytes of content received, after decoding.
    public let decodedBytesReceived: Int64
    /// The version of TLS, such as "TLSv1.3". Empty without TLS.
    public let tlsVersion: String
    /// The cipher suite, by OpenSSL's name, such as "TLS_AES_256_GCM_SHA384". Empty without TLS.
    public let cipher: String
    /// The moment when the transfer got its connection slot.
    public let startDate: Date
    /// The number of redirects that were followed.
    public let redirectCount: Int
    /// The cache's part in the response.
    public let cacheOutcome: CacheOutcome
    /// All attempts in order, the last one included. There are several where a ``RetryPolicy`` or an interceptor made
    /// another. Everything else here is of the last attempt.
    public let attempts: [Attempt]

    init(_ measured: MeasuredAttempt) {
        let timings = measured.timings
        queueTime = timings.queued
        nameLookupTime = timings.nameLookup
        connectTime = timings.connect
        secureConnectTime = timings.secureConnect
        firstByteTime = timings.firstByte
        totalTime = timings.total
        bytesSent = timings.bytesSent
        bytesReceived = timings.bytesReceived
        reusedConnection = timings.reusedConnection
        httpVersion = timings.httpVersion
        remoteAddress = timings.remoteAddress
        remotePort = timings.remotePort
        localAddress = timings.localAddress
        localPort = timings.localPort
        redirectCount = measured.redirectCount
        requestStartTime = timings.preTransfer
        requestEndTime = timings.requestEnd
        headerBytesSent = timings.headerBytesSent
        headerBytesReceived = timings.headerBytesReceived
        decodedBytesReceived = measured.decodedBytes
        tlsVersion = timings.tlsVersion
        cipher = timings.tlsCipher
        startDate = measured.endDate - timings.total
        cacheOutcome = measured.cacheOutcome
        var attempts = measured.attempts
        if let last = measured.attempt { attempts.append(last) }
        self.attempts = attempts
    }

    /// One attempt of an operation at its response.
    public struct Attempt: Sendable {
        /// Counted from 1.
        public let number: Int
        /// The moment when it began.
        public let startDate: Date
        /// The status of its response. `nil` when there was none.
        public let statusCode: Int?
        /// The reason why there was no response. `nil` when there was one.
        public let error: (any Error)?
        /// Seconds that were to pass between the attempt before and this one. 0 for the first.
        public let delay: TimeInterval
    }
}

// The times when the phases began and ended; nil: a phase did not happen.
extension TransferMetrics {
    /// The moment when the name lookup began.
    public var nameLookupStartDate: Date? { nameLookupTime > 0 ? startDate : nil }
    /// The moment when the name was resolved.
    public var nameLookupEndDate: Date? { nameLookupTime > 0 ? startDate + nameLookupTime : nil }
    /// The moment when the TCP connection was begun. `nil` on a connection that was open.
    public var connectStartDate: Date? { connectTime > nameLookupTime ? startDate + nameLookupTime : nil }
    /// The moment when the connection stood, its TLS handshake included. `nil` on a connection that was open.
    public var connectEndDate: Date? {
        connectTime > nameLookupTime ? startDate + max(connectTime, secureConnectTime) : nil
    }
    /// The moment when the TLS handshake was begun. `nil` on a connection that was open, and without TLS.
    public var secureConnectStartDate: Date? { secureConnectTime > connectTime ? startDate + connectTime : nil }
    /// The moment when the TLS handshake was done. `nil` on a connection that was open, and without TLS.
    public var secureConnectEndDate: Date? { secureConnectTime > connectTime ? startDate + secureConnectTime : nil }
    /// The moment when the request began to be sent.
    public var requestStartDate: Date? { requestStartTime > 0 ? startDate + requestStartTime : nil }
    /// The moment when the last byte of the request was handed to the connection.
    public var requestEndDate: Date? { requestEndTime > 0 ? startDate + requestEndTime : nil }
    /// The moment when the first byte of the response came.
    public var responseStartDate: Date? { firstByteTime > 0 ? startDate + firstByteTime : nil }
    /// The moment when the transfer ended.
    public var endDate: Date { startDate + totalTime }
}
