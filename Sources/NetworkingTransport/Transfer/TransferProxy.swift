// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// A proxy between us and the server. On the heap, because most requests have none.
package final class TransferProxy: Sendable {
    /// The protocol that the proxy speaks.
    package enum Scheme: String, Sendable, Hashable {
        /// HTTP; CONNECT for https URLs.
        case http
        /// The same over TLS.
        case https
        /// SOCKS 5; we look the server's name up.
        case socks5
        /// SOCKS 5; the proxy looks the server's name up.
        case socks5h

        var isSOCKS: Bool { self == .socks5 || self == .socks5h }
    }

    package let scheme: Scheme
    /// A name or an address, IPv6 without brackets.
    package let host: String
    package let port: Int
    /// The user name and password that the proxy receives, and the schemes they may be sent with.
    package let credential: TransferCredential?
    /// The settings by which the proxy itself is verified when `scheme` is `https`.
    package let tls: TLSConfiguration?

    package init(
        scheme: Scheme, host: String, port: Int, credential: TransferCredential? = nil, tls: TLSConfiguration? = nil
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.credential = credential
        self.tls = tls
    }

    /// Without user name and password.
    var url: String { "\(scheme.rawValue)://\(authority)" }

    /// For CURLOPT_PROXY. libcurl decodes the user name and password in it once; those given in separate options it
    /// decodes again for every connection.
    var urlWithUserInfo: String { "\(scheme.rawValue)://\(userInfo)\(authority)" }

    private var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    private var userInfo: String {
        guard let credential else { return "" }
        return "\(Self.encoded(credential.user)):\(Self.encoded(credential.password))@"
    }

    /// Everything but unreserved characters percent-encoded.
    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// A message of libcurl's, which may quote the URL, without user name and password.
    func redacting(_ message: String) -> String {
        credential == nil ? message : message.replacingOccurrences(of: userInfo, with: "")
    }
}

extension TransferProxy: Hashable {
    package static func == (left: TransferProxy, right: TransferProxy) -> Bool {
        if left === right { return true }
        return left.scheme == right.scheme && left.port == right.port && left.host.hasOctets(of: right.host)
            && left.credential == right.credential && left.tls?.identity == right.tls?.identity
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(octetsOf: host)
        hasher.combine(port)
        hasher.combine(credential)
        hasher.combine(tls?.identity)
    }
}
