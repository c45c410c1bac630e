// SPDX-License-Identifier: MIT
extension HTTPRequestSerializer {
    /// A compression for the content of a request (RFC 9110, section 8.4.1).
    public enum ContentCoding: String, Codable, Hashable, Sendable, CaseIterable {
        /// Not at all.
        case identity
        /// As a gzip stream (RFC 1952).
        case gzip
    }
}
