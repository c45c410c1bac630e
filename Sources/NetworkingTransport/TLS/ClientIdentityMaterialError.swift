// SPDX-License-Identifier: MIT

/// The reason that a client certificate and key cannot be used.
package enum ClientIdentityMaterialError: Error, Sendable, Hashable {
    /// No certificate, or one that does not parse.
    case certificate(String)
    /// No private key, or one that does not parse.
    case privateKey(String)
    /// The key or the PKCS#12 file is encrypted, and no password was given.
    case passwordRequired
    /// The password does not open it.
    case wrongPassword
    /// The key is not the first certificate's.
    case keyMismatch(subject: String)
    /// The PKCS#12 file does not parse, or uses algorithms that OpenSSL does not offer.
    case pkcs12(String)
}
