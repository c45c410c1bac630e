// SPDX-License-Identifier: MIT
internal import COpenSSL
package import Foundation

/// A private key made for a test.
package struct TestKey: Sendable {
    package enum Kind: Sendable, CaseIterable {
        case rsa2048, p256, ed25519
    }

    package let kind: Kind
    /// PKCS#8, DER, not encrypted.
    package let der: Data
    /// The public key as SubjectPublicKeyInfo, DER: what public key pinning compares.
    package let publicKeyDER: Data
    private let handle: Handle

    /// Owns an EVP_PKEY.
    private final class Handle: Sendable {
        // Safe because nothing changes it after `init`.
        nonisolated(unsafe) let pointer: OpaquePointer
        init(_ pointer: OpaquePointer) { self.pointer = pointer }
        deinit { EVP_PKEY_free(pointer) }
    }

    package init(_ kind: Kind = .p256) throws {
        self.kind = kind
        let handle = Handle(try Self.generate(kind))
        let info = try OpenSSLFailure.check(EVP_PKEY2PKCS8(handle.pointer), "EVP_PKEY2PKCS8")
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        der = try DEREncoding.data { i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
        publicKeyDER = try DEREncoding.data { i2d_PUBKEY(handle.pointer, $0) }
        self.handle = handle
    }

    private static func generate(_ kind: Kind) throws -> OpaquePointer {
        guard OpenSSLLibrary.isReady else { throw OpenSSLFailure("OPENSSL_init_crypto") }
        let name =
            switch kind {
            case .rsa2048: "RSA"
            case .p256: "EC"
            case .ed25519: "ED25519"
            }
        let context = try OpenSSLFailure.check(EVP_PKEY_CTX_new_from_name(nil, name, nil), "no keys of type \(name)")
        defer { EVP_PKEY_CTX_free(context) }
        try OpenSSLFailure.check(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
        switch kind {
        case .rsa2048: try OpenSSLFailure.check(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048), "2048 bits")
        case .p256: try OpenSSLFailure.check(EVP_PKEY_CTX_set_group_name(context, "P-256"), "P-256")
        case .ed25519: break
        }
        var key: OpaquePointer?
        try OpenSSLFailure.check(EVP_PKEY_generate(context, &key), "EVP_PKEY_generate")
        return try OpenSSLFailure.check(key, "EVP_PKEY_generate")
    }

    /// PKCS#8, not encrypted.
    package var pem: String { der.pem("PRIVATE KEY") }

    /// Calls with an EVP_PKEY, which is valid during the call.
    func withPointer<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(handle) { try body(handle.pointer) }
    }
}
