// SPDX-License-Identifier: MIT
public import Foundation
public import OperationNetworkingTesting
internal import TestTLS

/// A server on this machine that answers by the rules of stubs. For code that needs a socket: other libraries, other
/// processes, what is done below HTTP.
///
/// ```swift
/// let stubs = HTTPStubs()
/// stubs.on("GET", "/users/{id}", respond: .json(["name": "Ursula"]))
/// let server = try HTTPStubServer(stubs)
/// let url = server.baseURL.appendingPathComponent("users/7")
/// ```
///
/// HTTP/1.1 and HTTP/2, the latter by prior knowledge, and with TLS by ALPN. Rules, delays, drips, sequences and
/// recorded requests are as with installed stubs, with these differences:
///
/// - The URL of a request is the one that the client asked for, by the field `Host`. A template that is a path fits
///   any.
/// - Requests are recorded with all fields, also `Host` and `Content-Length`. Several of a name are one, with commas.
/// - A request that no rule fits is answered with 501, and an error that a rule throws with 500, each with the reason
///   as text.
/// - A failure, as by `.failure(.timedOut)` or `.failing(after: 5000)`, is what makes clients fail so:
///
/// | Code | HTTP/1.1 | HTTP/2 |
/// |---|---|---|
/// | `.timedOut` | nothing more is sent | the same |
/// | `.cannotParseResponse`, `.badServerResponse` | something that is not HTTP | a frame that no stream has |
/// | `.cannotConnectToHost`, `.cannotFindHost`, `.notConnectedToInternet` | the end, in good order | `REFUSED_STREAM` |
/// | `.networkConnectionLost` | a reset; after a part of the content the connection's end | the same, for all streams |
/// | others | the same | `INTERNAL_ERROR` |
///
/// One that comes after all content breaks the connection off behind a complete response.
///
/// It serves until ``stop()`` is called, or the object goes away: keep a reference to it. From any thread.
public final class HTTPStubServer: Sendable {
    /// A version of HTTP.
    public enum ProtocolVersion: Sendable, Hashable, CaseIterable {
        /// HTTP/1.1 (RFC 9112), and HTTP/1.0.
        case http1
        /// HTTP/2 (RFC 9113).
        case http2
    }

    /// The rules that answer, and the requests that came.
    public let stubs: HTTPStubs
    /// The port that it listens at.
    public let port: Int
    /// The server's own URL. `http://127.0.0.1:49152/`, and with an identity `https://127.0.0.1:49152/`.
    public let baseURL: URL
    /// The certificate that it shows in TLS handshakes. `nil`: it does not speak TLS.
    public let identity: Identity?
    private let core: ServerCore

    /// A server that listens at once.
    ///
    /// - Parameters:
    ///   - stubs: what answers. Rules may be added later.
    ///   - identity: what it shows in TLS handshakes; nil, the default, for no TLS.
    ///   - protocols: the versions it speaks; all by default.
    ///   - address: an IPv4 or IPv6 address of this machine; 127.0.0.1 by default, which other machines cannot reach.
    ///   - port: 0, the default, for a free one.
    /// - Throws: ``HTTPStubServerError``.
    public init(
        _ stubs: HTTPStubs, identity: Identity? = nil, protocols: Set<ProtocolVersion> = [.http1, .http2],
        address: String = "127.0.0.1", port: Int = 0
    ) throws {
        guard !protocols.isEmpty else { throw HTTPStubServerError(reason: "it is to speak no version of HTTP") }
        guard !protocols.contains(.http2) || NGHTTP2.library != nil else {
            throw HTTPStubServerError(reason: "libnghttp2.so.14 cannot be loaded: leave HTTP/2 out of its protocols")
        }
        let tls: TLSServerContext?
        do {
            tls = try identity.map { try TLSServerContext($0.settings(protocols)) }
        } catch {
            throw HTTPStubServerError(reason: "\(error)")
        }
        let listener = try ServerListener(address: address, port: port)
        let host = address.contains(":") ? "[\(address)]" : address
        let authority = "\(host):\(listener.port)"
        guard let baseURL = URL(string: "\(tls == nil ? "http" : "https")://\(authority)/") else {
            throw HTTPStubServerError(reason: "“\(address)” makes no URL")
        }
        let core = try ServerCore(stubs, tls, protocols, authority: authority)
        self.stubs = stubs
        self.identity = identity
        self.baseURL = baseURL
        self.port = listener.port
        self.core = core
        core.start(listener)
    }

    deinit { core.stop() }

    /// The number of connections that were accepted.
    public var acceptedConnectionCount: Int { core.acceptedConnectionCount }

    /// The number of connections that are open.
    public var openConnectionCount: Int { core.openConnectionCount }

    /// Breaks all connections off, with what is under way, as when a server crashes. New ones are accepted. Returns
    /// when that is done.
    public func closeConnections() { core.closeConnections() }

    /// Closes all connections, with what is under way, and accepts no more. Returns when that is done. Later calls have
    /// no effect.
    public func stop() {
        core.stop()
        core.thread.waitForEnd()
    }
}
