/// A proxy between us and the server.
package struct TransferProxy: Sendable {
    /// How the proxy is spoken to.
    package enum Scheme: String, Sendable, Hashable {
        /// HTTP; CONNECT for https URLs.
        case http
        /// The same over TLS.
        case https
        /// SOCKS 5; we look the server's name up.
        case socks5
        /// SOCKS 5; the proxy looks the server's name up.
        case socks5h
    }

    package var scheme: Scheme
    /// A name or an address, IPv6 without brackets.
    package var host: String
    package var port: Int
    /// What the proxy is told of us, and the schemes it may be told in.
    package var credential: TransferCredential?
    /// How the proxy itself is verified when `scheme` is `https`.
    package var tls: TLSConfiguration?

    package init(
        scheme: Scheme, host: String, port: Int, credential: TransferCredential? = nil, tls: TLSConfiguration? = nil
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.credential = credential
        self.tls = tls
    }

    /// For CURLOPT_PROXY.
    var url: String { "\(scheme.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

extension TransferProxy: Hashable {
    package static func == (left: TransferProxy, right: TransferProxy) -> Bool {
        left.scheme == right.scheme && left.port == right.port && left.host == right.host
            && left.credential == right.credential && left.tls?.identity == right.tls?.identity
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(host)
        hasher.combine(port)
        hasher.combine(credential)
        hasher.combine(tls?.identity)
    }
}
