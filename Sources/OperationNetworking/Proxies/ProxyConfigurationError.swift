/// An error about a proxy that cannot be used as it was written.
public struct ProxyConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The kinds of defects.
    public enum Code: Sendable {
        /// A URL that does not parse, or has a path or query.
        case invalidURL
        /// A scheme other than `http`, `https`, `socks5` and `socks5h`.
        case unsupportedScheme
        /// No host, or a character that no host has.
        case invalidHost
        /// Not between 1 and 65535.
        case invalidPort
    }

    /// The kind of defect.
    public let code: Code
    /// A sentence with the place where the proxy was named, what is wrong and what to do. Never contains a user name or
    /// password.
    public let description: String
}
