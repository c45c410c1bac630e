// SPDX-License-Identifier: MIT
internal import NetworkingTransport

/// The version of HTTP that requests are sent with.
public enum HTTPVersionPreference: Sendable, Hashable {
    /// The library's choice, at present as ``http2``.
    case automatic
    /// HTTP/1.1.
    case http1
    /// HTTP/2 where a server agrees to it in the TLS handshake (ALPN), else HTTP/1.1, as always without TLS.
    case http2
    /// HTTP/2 from the first byte, also without TLS, for servers that are known to speak it (RFC 9113, section 3.3). Others
    /// answer with an error.
    case http2PriorKnowledge
    /// HTTP/3 over TLS where `NetworkEngine.capabilities` has it and the server answers, else as ``automatic``.
    case http3

    var transportVersion: ConnectionRoute.HTTPVersion {
        switch self {
        case .automatic, .http2: .automatic
        case .http1: .http1
        case .http2PriorKnowledge: .http2PriorKnowledge
        case .http3: .http3
        }
    }
}
