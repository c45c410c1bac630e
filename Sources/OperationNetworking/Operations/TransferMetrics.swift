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
    /// How often the request was redirected.
    public let redirectCount: Int
    /// What the cache had to do with the response.
    public internal(set) var cacheOutcome = CacheOutcome.none

    init(_ timings: TransferTimings, redirectCount: Int) {
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
    }
}
