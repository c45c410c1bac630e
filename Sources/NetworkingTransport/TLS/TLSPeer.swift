// SPDX-License-Identifier: MIT
internal import CCurl
internal import COpenSSL

/// The peer of a handshake.
///
/// libcurl calls one function for the contexts of both, and does not say which it is. It does apply another minimum
/// version to each: so that is what tells them apart, and the real versions are set by `PeerVerification`.
enum TLSPeer {
    case server
    case proxy

    /// For CURLOPT_SSLVERSION and CURLOPT_PROXY_SSLVERSION.
    var curlVersion: Int {
        switch self {
        case .server: Int(CURL_SSLVERSION_TLSv1_2)
        case .proxy: Int(CURL_SSLVERSION_TLSv1_3)
        }
    }

    /// Nil: the context carries neither mark, and its peer is unknown.
    init?(sslContext: UnsafeMutableRawPointer) {
        switch ONSSL_SSL_CTX_get_min_proto_version(OpaquePointer(sslContext)) {
        case TLS1_2_VERSION: self = .server
        case TLS1_3_VERSION: self = .proxy
        default: return nil
        }
    }
}
