// SPDX-License-Identifier: MIT
internal import Foundation
public import FoundationNetworking
internal import NetworkingTransport

/// A proxy server, with its protocol, address and credential.
///
/// Connections through one proxy, or one credential for it, never serve requests through another or none.
public struct ProxyServer: Sendable {
    /// The protocol that is spoken with a proxy.
    public enum Scheme: String, Sendable, CaseIterable {
        /// HTTP. An `http` URL is requested from the proxy itself. For an `https` URL the proxy receives a CONNECT (RFC
        /// 9110, section 9.3.6), and sees nothing of the request.
        case http
        /// The same inside TLS. The proxy is verified, too.
        case https
        /// SOCKS 5 (RFC 1928). The name of the server is looked up here.
        case socks5
        /// SOCKS 5. The name of the server is looked up by the proxy.
        case socks5h

        /// The default port of such a proxy, as in libcurl: 443 for `https`, otherwise 1080.
        package var defaultPort: Int { self == .https ? 443 : 1080 }
    }

    /// Schemes of authentication with an HTTP proxy.
    public struct AuthenticationSchemes: OptionSet, Sendable {
        /// One bit for each scheme.
        public let rawValue: Int
        /// Schemes by their bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// RFC 7617.
        public static let basic = AuthenticationSchemes(rawValue: 1)
        /// RFC 7616.
        public static let digest = AuthenticationSchemes(rawValue: 2)
        /// NTLM.
        public static let ntlm = AuthenticationSchemes(rawValue: 4)
        /// RFC 4559, with the tickets that the system has.
        public static let negotiate = AuthenticationSchemes(rawValue: 8)
    }

    /// The protocol that is spoken with the proxy.
    public let scheme: Scheme
    /// Its name, in ASCII, or its address, IPv6 without brackets.
    public let host: String
    /// Its port.
    public let port: Int
    /// The user name and password for the proxy. `nil`, the default, sends none. It goes to the proxy only. With a
    /// control character in it, a request fails before anything connects.
    public var credential: URLCredential?
    /// The schemes by which the credential may be sent to an HTTP proxy. Basic by default, which is sent with the first
    /// request. With another scheme, or several, the proxy is asked first. That takes another round trip, and a body
    /// stream that can be read again. SOCKS has its own way (RFC 1929).
    public var authenticationSchemes = AuthenticationSchemes.basic
    /// The policy that an `https` proxy is verified with. `nil`, the default, stands for `SecurityPolicy.default()`.
    /// The policy of the request is for its server.
    public var securityPolicy: SecurityPolicy?

    /// A proxy by its parts.
    ///
    /// - Parameters:
    ///   - scheme: The protocol that is spoken with the proxy.
    ///   - host: Its name or address; IPv6 with or without brackets.
    ///   - port: 1 to 65535.
    ///   - credential: The user name and password for the proxy; nil by default.
    /// - Throws: `ProxyConfigurationError`.
    public init(
        scheme: Scheme, host: String, port: Int, credential: URLCredential? = nil
    ) throws(ProxyConfigurationError) {
        var bare = host
        if bare.hasPrefix("["), bare.hasSuffix("]") { bare = String(bare.dropFirst().dropLast()) }
        let isAddress = IPAddress(bare) != nil
        guard !bare.isEmpty, isAddress || bare.utf8.allSatisfy(Self.isHostByte) else {
            throw ProxyConfigurationError(
                code: .invalidHost, reason: "the proxy's host is not a host name or an address")
        }
        guard (1...65535).contains(port) else {
            throw ProxyConfigurationError(
                code: .invalidPort, reason: "the proxy's port \(port) is not between 1 and 65535")
        }
        do {
            try AuthenticationError.check(user: credential?.user ?? "", password: credential?.password ?? "")
        } catch {
            throw ProxyConfigurationError(
                code: .invalidCredential,
                reason: "the proxy's credential cannot be used: \(error); check where it is from")
        }
        self.scheme = scheme
        self.host = isAddress ? bare : bare.hostInASCII
        self.port = port
        self.credential = credential
    }

    /// Reads the usual spelling of a proxy, `http://user:password@host:port`. Without a scheme it is `http`; without a
    /// port, as in libcurl, 1080, or 443 for `https`.
    ///
    /// - Throws: `ProxyConfigurationError`.
    public init(_ string: String) throws(ProxyConfigurationError) {
        let text = string.contains("://") ? string : "http://" + string
        guard let components = URLComponents(string: URLEscaping.escaped(text)), components.query == nil,
            components.fragment == nil,
            components.path.isEmpty || components.path == "/"
        else {
            throw ProxyConfigurationError(
                code: .invalidURL,
                reason:
                    "the proxy is not a URL like http://host:port (percent-encode what is special in a password)")
        }
        guard Self.namesPort(text) == (components.port != nil) else {
            throw ProxyConfigurationError(
                code: .invalidPort, reason: "the proxy's port is not between 1 and 65535")
        }
        guard let scheme = Scheme(rawValue: components.scheme?.lowercased() ?? "") else {
            throw ProxyConfigurationError(
                code: .unsupportedScheme,
                reason: "a proxy's scheme is http, https, socks5 or socks5h, not \(components.scheme ?? "empty")")
        }
        var credential: URLCredential?
        if let user = components.percentEncodedUser {
            guard let user = user.removingPercentEncoding,
                let password = (components.percentEncodedPassword ?? "").removingPercentEncoding
            else {
                throw ProxyConfigurationError(
                    code: .invalidCredential, reason: "the proxy's user name or password is not percent-encoded UTF-8")
            }
            credential = URLCredential(user: user, password: password, persistence: .none)
        }
        try self.init(
            scheme: scheme, host: components.host ?? "", port: components.port ?? scheme.defaultPort,
            credential: credential)
    }

    /// Returns true if there is a colon after the host, with or without a number that can be a port.
    private static func namesPort(_ url: String) -> Bool {
        guard let start = url.range(of: "://")?.upperBound else { return false }
        let authority = url[start...].prefix { $0 != "/" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return host.drop { $0 != "]" }.contains(":") || !host.hasPrefix("[") && host.contains(":")
    }

    /// Letters, digits and what else occurs in names.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension ProxyServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The proxy as a URL, without user name and password.
    public var description: String { "\(scheme.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    /// The same.
    public var debugDescription: String { description }
    /// Shows no credential.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}

extension ProxyServer {
    /// As the engine takes it.
    ///
    /// - Throws: `ServerTrustError` when the policy for the proxy cannot be used.
    func transferProxy() throws(ServerTrustError) -> TransferProxy {
        let answer = credential?.user.map { user in
            TransferCredential(
                user: user, password: credential?.password ?? "", schemes: authenticationSchemes.transferSchemes)
        }
        let policy = securityPolicy ?? .sharedDefault
        return TransferProxy(
            scheme: scheme.transferScheme, host: host, port: port, credential: answer,
            tls: scheme == .https ? try policy.tlsConfiguration(clientIdentity: nil) : nil)
    }
}

extension ProxyServer.Scheme {
    fileprivate var transferScheme: TransferProxy.Scheme {
        switch self {
        case .http: .http
        case .https: .https
        case .socks5: .socks5
        case .socks5h: .socks5h
        }
    }
}

extension ProxyServer.AuthenticationSchemes {
    fileprivate var transferSchemes: TransferCredential.Schemes {
        let all: [(Self, TransferCredential.Schemes)] = [
            (.basic, .basic), (.digest, .digest), (.ntlm, .ntlm), (.negotiate, .negotiate),
        ]
        return TransferCredential.Schemes(all.filter { contains($0.0) }.map(\.1))
    }
}
