// SPDX-License-Identifier: MIT
public import Foundation

extension ProxyConfiguration {
    /// The configuration in the environment variables that curl and other programs read. They are `http_proxy`,
    /// `https_proxy` or `HTTPS_PROXY`, `all_proxy` or `ALL_PROXY` for URLs without one of these, and `no_proxy` or
    /// `NO_PROXY` for exceptions, separated by commas or spaces.
    ///
    /// The library never looks there by itself. `HTTP_PROXY` is not read, because a CGI server sets it to what a client
    /// sent in a `Proxy` header field.
    ///
    /// - Parameter variables: The variables; by default the process's, as they are now.
    /// - Throws: `ProxyConfigurationError` with the name of the variable that names no valid proxy.
    public static func environment(
        _ variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ProxyConfigurationError) -> ProxyConfiguration {
        let exclusions = value(["no_proxy", "NO_PROXY"], variables)?.value
        return ProxyConfiguration(
            http: try proxy(["http_proxy", "all_proxy", "ALL_PROXY"], variables),
            https: try proxy(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], variables),
            excludedHosts: exclusions?.split { $0 == "," || $0.isWhitespace }.map(String.init) ?? [])
    }

    private static func value(
        _ names: [String], _ variables: [String: String]
    ) -> (name: String, value: String)? {
        for name in names {
            let value = variables[name]?.trimmingCharacters(in: .whitespaces) ?? ""
            if !value.isEmpty { return (name, value) }
        }
        return nil
    }

    private static func proxy(
        _ names: [String], _ variables: [String: String]
    ) throws(ProxyConfigurationError) -> ProxyServer? {
        guard let (name, value) = value(names, variables) else { return nil }
        do {
            return try ProxyServer(value)
        } catch {
            throw ProxyConfigurationError(code: error.code, reason: "\(name): \(error.reason)")
        }
    }
}
