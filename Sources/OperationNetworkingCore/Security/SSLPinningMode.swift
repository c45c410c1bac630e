// SPDX-License-Identifier: MIT

/// The part of a server's certificates that is compared with the pinned ones. AF: `AFSSLPinningMode`.
public enum SSLPinningMode: UInt, Sendable {
    /// No pins. Chains are verified against the trusted roots only.
    case none
    /// The public keys.
    case publicKey
    /// The certificates.
    case certificate
}
