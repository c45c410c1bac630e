// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworkingCore

extension ProxyConfiguration {
    /// The proxies of `URLSessionConfiguration.connectionProxyDictionary`, with CFNetwork's keys: `HTTPEnable`,
    /// `HTTPProxy`, `HTTPPort`, the same with `HTTPS` and `SOCKS`, and `ExceptionsList`. Numbers may be texts. Nil: no
    /// proxy.
    ///
    /// Where an enabled proxy is not understood, requests fail: the program that set it does not want them to go
    /// another way.
    init?(dictionary: [AnyHashable: Any]?) {
        guard let dictionary else { return nil }
        let socks = Self.entry("SOCKS", .socks5h, in: dictionary)
        let http = Self.entry("HTTP", .http, in: dictionary) ?? socks
        let https = Self.entry("HTTPS", .http, in: dictionary) ?? socks
        guard http != nil || https != nil else { return nil }
        self.init(
            http: http.flatMap { try? $0.get() }, https: https.flatMap { try? $0.get() },
            excludedHosts: dictionary["ExceptionsList"] as? [String] ?? [])
        if case .failure(let defect) = http { httpDefect = defect }
        if case .failure(let defect) = https { httpsDefect = defect }
    }

    /// One of the proxies; nil: it is not enabled.
    private static func entry(
        _ name: String, _ scheme: ProxyServer.Scheme, in dictionary: [AnyHashable: Any]
    ) -> Result<ProxyServer, ProxyConfigurationError>? {
        guard let enable = dictionary[name + "Enable"] else { return nil }
        let isEnabled = number(enable)
        guard isEnabled != 0 else { return nil }
        return Result { () throws(ProxyConfigurationError) in
            guard isEnabled != nil else {
                throw defect(.invalidURL, "\(name)Enable is neither 1 nor 0")
            }
            guard let host = dictionary[name + "Proxy"] as? String else {
                throw defect(.invalidHost, "\(name)Proxy is no text, or missing")
            }
            var port = scheme.defaultPort
            if let value = dictionary[name + "Port"] {
                guard let number = number(value) else { throw defect(.invalidPort, "\(name)Port is no number") }
                port = number
            }
            do throws(ProxyConfigurationError) {
                return try ProxyServer(scheme: scheme, host: host, port: port)
            } catch {
                throw defect(error.code, "\(name)Proxy with \(name)Port: \(error.reason)")
            }
        }
    }

    private static func defect(_ code: ProxyConfigurationError.Code, _ what: String) -> ProxyConfigurationError {
        ProxyConfigurationError(
            code: code, reason: "\(what); correct connectionProxyDictionary, or give a proxyConfiguration")
    }

    /// Nil: no whole number.
    private static func number(_ value: Any) -> Int? {
        switch value {
        case let number as Int: number
        case let flag as Bool: flag ? 1 : 0
        case let number as NSNumber: Int(exactly: number.doubleValue)
        case let text as String:
            text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int(text) : nil
        default: nil
        }
    }
}
