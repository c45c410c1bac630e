// SPDX-License-Identifier: MIT

/// The cache's part in an operation's response (RFC 9111).
public enum CacheOutcome: Sendable, Hashable, CaseIterable {
    /// No cache was asked.
    case none
    /// The response came from the cache, and no request was sent.
    case hit
    /// The cache's response was used after the server had said that it is still good (304).
    case validated
    /// The cache had nothing that could be used. The response is the server's.
    case miss
}
