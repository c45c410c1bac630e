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
    /// Until the first byte of the response.
    public let firstByteTime: TimeInterval
    /// Until the end.
    public let totalTime: TimeInterval
    /// Bytes of content sent.
    public let bytesSent: Int64
    /// Bytes of content received, as they travelled: before decoding.
    public let bytesReceived: Int64
    /// Whether a connection that was open already was used.
    public let reusedConnection: Bool
    /// "1.0", "1.1" or "2"; empty when there was no response.
    public let httpVersion: String
    /// The server's address; empty when no connection was made.
    public let remoteAddress: String
    /// The server's port; 0 when no connection was made.
    public let remotePort: Int
    /// Bytes of the request line and header fields, as HTTP/1 writes them.
    public let headerBytesSent: Int64
    /// Bytes of status lines and header fields, as HTTP/1 writes them: also of interim responses and trailers.
    public let headerBytesReceived: Int64
    /// Bytes of content received, after decoding: what came out where the content went.
    public let decodedBytesReceived: Int64
    /// The version of TLS, such as "TLSv1.3"; empty without TLS.
    public let tlsVersion: String
    /// The cipher suite, by OpenSSL's name, such as "TLS_AES_256_GCM_SHA384"; empty without TLS.
    public let tlsCipher: String
    /// When the transfer got its connection slot.
    public let startDate: Date
    /// How often the request was redirected.
    public let redirectCount: Int
    /// What the cache had to do with the response.
    public internal(set) var cacheOutcome = CacheOutcome.none
    /// All attempts in order, the last one included: more than one where ``RetryPolicy`` or an interceptor made another.
    /// Everything else here is of the last attempt.
    public internal(set) var attempts: [Attempt] = []

    init(_ timings: TransferTimings, redirectCount: Int, decodedBytes: Int64 = 0) {
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
        self.redirectCount = redirectCount
        requestStartTime = timings.preTransfer
        headerBytesSent = timings.headerBytesSent
        headerBytesReceived = timings.headerBytesReceived
        decodedBytesReceived = decodedBytes
        tlsVersion = timings.tlsVersion
        tlsCipher = timings.tlsCipher
        startDate = Date(timeIntervalSinceNow: -timings.total)
    }

    /// One attempt of an operation at its response.
    public struct Attempt: Sendable {
        /// Counted from 1.
        public let number: Int
        /// When it began.
        public let startDate: Date
        /// The status of its response; nil when there was none.
        public let statusCode: Int?
        /// Why there was no response; nil when there was one.
        public let error: (any Error)?
        /// Seconds that were to pass between the attempt before and this one; 0 for the first.
        public let delay: TimeInterval
    }
}

// When the phases began; nil: a phase did not happen.
extension TransferMetrics {
    /// When the name lookup began.
    public var nameLookupStartDate: Date? { nameLookupTime > 0 ? startDate : nil }
    /// When the TCP connection was begun; nil on a connection that was open.
    public var connectStartDate: Date? { connectTime > nameLookupTime ? startDate + nameLookupTime : nil }
    /// When the TLS handshake was begun; nil on a connection that was open, and without TLS.
    public var secureConnectStartDate: Date? { secureConnectTime > connectTime ? startDate + connectTime : nil }
    /// When the request began to be sent.
    public var requestStartDate: Date? { requestStartTime > 0 ? startDate + requestStartTime : nil }
    /// When the first byte of the response came.
    public var responseStartDate: Date? { firstByteTime > 0 ? startDate + firstByteTime : nil }
    /// When the transfer ended.
    public var endDate: Date { startDate + totalTime }
}
