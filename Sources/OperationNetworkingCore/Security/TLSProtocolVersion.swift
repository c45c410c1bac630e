// SPDX-License-Identifier: MIT
internal import NetworkingTransport

/// Versions of the TLS protocol.
public enum TLSProtocolVersion: Int, Sendable, Comparable {
    /// TLS 1.0 (RFC 2246), deprecated by RFC 8996. OpenSSL offers it only with its security level lowered to 0.
    case v1_0 = 10
    /// TLS 1.1 (RFC 4346), deprecated by RFC 8996. OpenSSL offers it only with its security level lowered to 0.
    case v1_1
    /// TLS 1.2 (RFC 5246).
    case v1_2
    /// TLS 1.3 (RFC 8446).
    case v1_3

    /// Older versions come first.
    public static func < (left: TLSProtocolVersion, right: TLSProtocolVersion) -> Bool {
        left.rawValue < right.rawValue
    }

    var transportVersion: TLSVersion {
        switch self {
        case .v1_0: .v1_0
        case .v1_1: .v1_1
        case .v1_2: .v1_2
        case .v1_3: .v1_3
        }
    }
}
