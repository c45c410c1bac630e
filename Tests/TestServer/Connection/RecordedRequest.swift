// SPDX-License-Identifier: MIT
package import Foundation
package import TestTLS

/// A request as it came over the wire.
package struct RecordedRequest: Sendable {
    package var method: String
    /// As in the request line: path and query, still percent-encoded.
    package var target: String
    package var version: String
    /// In the order and spelling in which they came.
    package var headers: [(name: String, value: String)]
    /// The content, without chunked coding; only the first `TestServer.Limits.recordedBody` bytes of it.
    package var body = Data()
    /// How long the whole content was (so far, if the request is not complete).
    package var bodyLength = 0
    package var trailers: [(name: String, value: String)] = []
    /// Whether everything that was announced has come.
    package var isComplete = false
    /// Whether it was announced with Expect: 100-continue.
    package var expectsContinue: Bool { self["Expect"]?.lowercased() == "100-continue" }
    /// Which connection brought it: 1 is the first that the server accepted.
    package var connection: Int
    /// When its head was complete.
    package var time = ContinuousClock.now
    /// nil without TLS.
    package var tls: TLSSessionInfo?

    /// The value of the first field of that name, whatever its case.
    package subscript(name: String) -> String? {
        headers.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
    }

    /// All values of fields of that name.
    package func values(of name: String) -> [String] {
        headers.filter { $0.name.caseInsensitiveCompare(name) == .orderedSame }.map(\.value)
    }

    /// The target without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }
    package var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }
    package var text: String { String(decoding: body, as: UTF8.self) }

    var asksToClose: Bool {
        let tokens = values(of: "Connection").joined(separator: ",").lowercased()
        return tokens.contains("close") || (version == "HTTP/1.0" && !tokens.contains("keep-alive"))
    }
}

/// How the connection of a request is secured.
package struct TLSSessionInfo: Sendable {
    package typealias Version = TLSVersion

    /// The version the server chose; nil before it chose one.
    package var version: Version?
    /// The name the client asked for (SNI).
    package var serverName: String?
    /// The protocols the client offered (ALPN).
    package var offeredProtocols: [String] = []
    /// Whether the handshake took up an earlier session.
    package var isResumed = false
    /// The certificate the client showed, DER.
    package var clientCertificate: Data?
}

/// A connection that the server accepted.
package struct RecordedConnection: Sendable {
    /// Counted from 1.
    package var number: Int
    package var isOpen = true
    /// Bytes received from the client, after decryption.
    package var receivedBytes = 0
    /// Bytes of responses that the kernel has taken.
    package var sentBytes = 0
    package var requestCount = 0
    /// nil without TLS.
    package var tls: TLSSessionInfo?
    /// What went wrong on it: a failed handshake, a request that is not HTTP.
    package var errors: [String] = []
}
