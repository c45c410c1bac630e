// SPDX-License-Identifier: MIT
internal import Foundation

/// An error about a proxy that cannot be used as it was written.
public struct ProxyConfigurationError: NetworkingError {
    /// The kinds of defects.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number an `NSError` shows.
        public let rawValue: Int

        /// A code by its number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// A URL that does not parse, or has a path or query (1).
        public static let invalidURL = Code(rawValue: 1)
        /// A scheme other than `http`, `https`, `socks5` and `socks5h` (2).
        public static let unsupportedScheme = Code(rawValue: 2)
        /// No host, or a character that no host has (3).
        public static let invalidHost = Code(rawValue: 3)
        /// Not between 1 and 65535 (4).
        public static let invalidPort = Code(rawValue: 4)
        /// A user name or password with a control character, or in something else than UTF-8 (5).
        public static let invalidCredential = Code(rawValue: 5)
    }

    /// The kind of defect.
    public let code: Code
    /// A sentence with the place where the proxy was named, what is wrong and what to do. Never contains a user name or
    /// password.
    public let reason: String

    package init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }
}
