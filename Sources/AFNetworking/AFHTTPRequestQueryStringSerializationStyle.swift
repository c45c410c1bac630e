// SPDX-License-Identifier: MIT

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The style of query strings, of which AFNetworking has one.
public enum AFHTTPRequestQueryStringSerializationStyle: UInt, Sendable {
    /// `queryString(from:)`.
    case defaultStyle

    /// `defaultStyle`, as Swift 1 and 2 have it.
    public static let DefaultStyle = defaultStyle
}
