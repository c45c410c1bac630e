// SPDX-License-Identifier: MIT
internal import Foundation

extension ProxyConfiguration {
    /// What `URLSessionConfiguration.connectionProxyDictionary` says, with CFNetwork's keys: `HTTPEnable`, `HTTPProxy`,
    /// `HTTPPort`, the same with `HTTPS` and `SOCKS`, and `ExceptionsList`. Nil: no proxy, or none that is understood.
    init?(dictionary: [AnyHashable: Any]?) {
        guard let dictionary else { return nil }
        func number(_ key: String) -> Int? { (dictionary[key] as? NSNumber)?.intValue ?? dictionary[key] as? Int }
        func server(_ name: String, _ scheme: ProxyServer.Scheme) -> ProxyServer? {
            guard number(name + "Enable") ?? 0 != 0 || dictionary[name + "Enable"] as? Bool == true,
                let host = dictionary[name + "Proxy"] as? String
            else { return nil }
            return try? ProxyServer(scheme: scheme, host: host, port: number(name + "Port") ?? scheme.defaultPort)
        }
        let socks = server("SOCKS", .socks5h)
        let (http, https) = (server("HTTP", .http) ?? socks, server("HTTPS", .http) ?? socks)
        guard http != nil || https != nil else { return nil }
        self.init(http: http, https: https, excludedHosts: dictionary["ExceptionsList"] as? [String] ?? [])
    }
}
