// SPDX-License-Identifier: MIT
package import Foundation
internal import NetworkingSupport

/// A request for the engine to send: one request to one server, one response back.
///
/// Redirects, and the decision whether to answer a challenge, are the caller's: each further hop is another transfer.
package struct TransferRequest: Sendable {
    /// The absolute URL, percent-encoded.
    package var url: String
    /// The origin by which requests are counted: those with the same value go to the same scheme, host and port. See
    /// `RequestTarget`.
    package var origin: String
    /// True if the URL's scheme is https.
    let isSecure: Bool
    /// The method, as typed.
    package var method: String
    /// Header fields in the order in which they are sent. A value of "" sends the field empty. The engine adds `Host`,
    /// `Content-Length` or `Transfer-Encoding`, and `Accept-Encoding` (see `decodesContent`) unless they are here.
    package var headers: [HeaderField]
    /// The request's content.
    package var body: TransferBody
    /// Seconds without any progress in either direction after which the transfer fails; 0: no limit. Time spent
    /// waiting for a connection slot does not count.
    package var idleTimeout: TimeInterval
    /// True if the codings that `ContentDecoder` knows are offered, and what comes back is decoded.
    package var decodesContent: Bool
    /// True if that is done also where `headers` say which codings are accepted.
    package var decodesOwnCodings = false
    /// Transfers with a higher value leave the engine's waiting list first.
    package var priority: Int
    /// The settings by which the server is verified, and our identity to it. Connections and TLS sessions are kept
    /// apart by them.
    package var tls: TLSConfiguration
    /// The credential with which libcurl answers 401 challenges by itself. With NTLM or Negotiate, which authenticate a
    /// connection, connections are kept apart by it.
    package var credential: TransferCredential?
    /// The way to the server (and part of what connections are kept apart by); nil: none between, whatever the
    /// environment says.
    package var proxy: TransferProxy?
    /// The way in which the connection is made; nil: as usual. `origin` has to be the route's `countedOrigin`.
    package var route: ConnectionRoute?
    /// True if a repetition has no further effect, so that the engine may send the request once more when a connection
    /// is lost without an answer. By default what the method says (RFC 9110, 9.2.2).
    package var isIdempotent: Bool
    /// True if content may go on for long, so that it is worth a buffer of 100 KiB. False: 32 KiB are read at a time.
    package var receivesLargePieces = false
    /// True if a new connection is preferred to one that was used before, where that is HTTP/1: the server may be about
    /// to close it, and the request cannot be sent twice.
    package var avoidsUsedConnections = false

    package init(url: String, origin: String, method: String, tls: TLSConfiguration) {
        self.url = url
        self.origin = origin
        isSecure = origin.utf8.starts(with: "https:".utf8)
        self.method = method
        self.headers = []
        self.body = .none
        self.idleTimeout = 60
        self.decodesContent = true
        self.priority = 0
        self.tls = tls
        self.credential = nil
        self.proxy = nil
        self.route = nil
        self.isIdempotent = Self.isIdempotent(method)
    }

    package init(target: RequestTarget, method: String, tls: TLSConfiguration) {
        self.init(url: target.url, origin: target.origin, method: method, tls: tls)
    }

    private static func isIdempotent(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }
}

extension TransferRequest {
    /// True if a proxy for which no credential is set reads the request's header fields.
    package var isForProxy: Bool {
        guard let proxy, proxy.credential == nil, proxy.scheme == .http || proxy.scheme == .https else { return false }
        return !isSecure
    }
}

/// The content of a request.
package enum TransferBody: Sendable {
    /// No content, and no `Content-Length` field.
    case none
    /// Content in memory; `Content-Length` is sent, also for empty data.
    case data(Data)
    /// Content that is produced while it is sent.
    case source(any BodySource)
}

/// A user name and password, and the schemes they may be sent with.
package struct TransferCredential: Sendable, Hashable {
    /// Authentication schemes that libcurl implements.
    package struct Schemes: OptionSet, Sendable, Hashable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package static let basic = Schemes(rawValue: 1)
        package static let digest = Schemes(rawValue: 2)
        package static let ntlm = Schemes(rawValue: 4)
        package static let negotiate = Schemes(rawValue: 8)
    }
    package var user: String
    package var password: String
    package var schemes: Schemes
    package init(user: String, password: String, schemes: Schemes) {
        self.user = user
        self.password = password
        self.schemes = schemes
    }

    package static func == (left: TransferCredential, right: TransferCredential) -> Bool {
        left.schemes == right.schemes && left.user.hasOctets(of: right.user)
            && left.password.hasOctets(of: right.password)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(octetsOf: user)
        hasher.combine(octetsOf: password)
        hasher.combine(schemes)
    }
}
