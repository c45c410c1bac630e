/// What of a server's certificates is compared with the pinned ones: `AFSSLPinningMode`.
public enum SSLPinningMode: UInt, Sendable {
    /// Nothing: chains are verified against the trusted roots only.
    case none
    /// The public keys.
    case publicKey
    /// The certificates.
    case certificate
}
