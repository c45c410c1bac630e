// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingTransport

/// A choice of the proxy that a request goes through, by its URL.
///
/// The choice is made for every request anew, and so for each redirect.
///
/// ```swift
/// let proxy = try ProxyServer(
///     "http://user:password@proxy.example.com:3128")
/// manager.proxyConfiguration = ProxyConfiguration(
///     proxy, excludedHosts: ["localhost", "internal.example.com"])
/// ```
public struct ProxyConfiguration: Sendable {
    /// The proxy for `http` URLs. `nil` means none.
    public var http: ProxyServer? { didSet { httpDefect = nil } }
    /// The proxy for `https` URLs. `nil` means none.
    public var https: ProxyServer? { didSet { httpsDefect = nil } }
    /// The hosts that are reached without a proxy.
    ///
    /// - `example.com` or `.example.com`: this host and all below it;
    /// - `192.0.2.7`, `2001:db8::1`: this address, where a URL has it in place of a name;
    /// - `192.0.2.0/24`, `2001:db8::/32`: these addresses;
    /// - any of them with `:port` after it (IPv6 in brackets, as in `[2001:db8::/32]:80`): on this port only;
    /// - `*`: all.
    public var excludedHosts: [String] {
        get { exclusions.map(\.text) }
        set { exclusions = newValue.map(ProxyExclusion.init) }
    }
    private var exclusions: [ProxyExclusion]
    /// The reason that the proxy for `http` URLs cannot be used. Requests then fail; they do not go without a proxy.
    package var httpDefect: ProxyConfigurationError?
    /// The same for `https` URLs.
    package var httpsDefect: ProxyConfigurationError?

    /// One proxy for everything.
    ///
    /// - Parameters:
    ///   - proxy: The proxy.
    ///   - excludedHosts: Hosts that are reached without it; none by default.
    public init(_ proxy: ProxyServer, excludedHosts: [String] = []) {
        self.init(http: proxy, https: proxy, excludedHosts: excludedHosts)
    }

    /// A proxy for each of the two kinds of URLs.
    ///
    /// - Parameters:
    ///   - http: For `http` URLs; nil: none.
    ///   - https: For `https` URLs; nil: none.
    ///   - excludedHosts: Hosts that are reached without a proxy; none by default.
    public init(http: ProxyServer?, https: ProxyServer?, excludedHosts: [String] = []) {
        self.http = http
        self.https = https
        exclusions = excludedHosts.map(ProxyExclusion.init)
    }

    /// The proxy that a request to `url` goes through. `nil` means none.
    public func proxy(for url: URL) -> ProxyServer? {
        guard let proxy = Self.isSecure(url) ? https : http else { return nil }
        return excludes(url) ? nil : proxy
    }

    /// Returns the reason that a request to `url` cannot go through its proxy; nil: it can be sent.
    func defect(for url: URL) -> ProxyConfigurationError? {
        guard let defect = Self.isSecure(url) ? httpsDefect : httpDefect else { return nil }
        return excludes(url) ? nil : defect
    }

    private static func isSecure(_ url: URL) -> Bool { url.scheme?.lowercased() == "https" }

    private func excludes(_ url: URL) -> Bool {
        guard !exclusions.isEmpty, let host = TransportEngine.host(of: url.absoluteString) else { return false }
        let target = ProxyExclusion.Target(host: host, port: url.port ?? (Self.isSecure(url) ? 443 : 80))
        return exclusions.contains { $0.covers(target) }
    }
}

extension ProxyConfiguration: CustomStringConvertible, CustomReflectable {
    /// Names the proxies, without user names and passwords.
    public var description: String {
        "http: \(http?.description ?? "none"), https: \(https?.description ?? "none"), except: \(excludedHosts)"
    }
    /// Shows no credential.
    public var customMirror: Mirror {
        Mirror(self, children: ["http": http as Any, "https": https as Any, "excludedHosts": excludedHosts])
    }
}
