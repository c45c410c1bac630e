// SPDX-License-Identifier: MIT
internal import Crypto
package import Foundation
internal import SwiftASN1
internal import X509
internal import _CryptoExtras

/// A private key made for a test.
package struct TestKey: Sendable {
    package enum Kind: Sendable, CaseIterable {
        case rsa2048, p256, ed25519
    }

    package let kind: Kind
    /// PKCS#8, not encrypted.
    package let pem: String
    let signing: Certificate.PrivateKey

    package init(_ kind: Kind = .p256) throws {
        self.kind = kind
        switch kind {
        case .rsa2048:
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            signing = Certificate.PrivateKey(key)
            pem = key.pkcs8PEMRepresentation
        case .p256:
            let key = P256.Signing.PrivateKey()
            signing = Certificate.PrivateKey(key)
            pem = key.pemRepresentation
        case .ed25519:
            let key = Curve25519.Signing.PrivateKey()
            signing = Certificate.PrivateKey(key)
            pem = try signing.serializeAsPEM().pemString
        }
    }

    /// PKCS#8, DER.
    package var der: Data { (try? PEMDocument(pemString: pem)).map { Data($0.derBytes) } ?? Data() }

    /// The public key as SubjectPublicKeyInfo, DER: what public key pinning compares.
    package var publicKeyDER: Data { signing.publicKey.derRepresentation }
}

extension Certificate.PublicKey {
    /// SubjectPublicKeyInfo.
    var derRepresentation: Data {
        var serializer = DER.Serializer()
        // Writing a key that is held in memory cannot fail; an empty answer would be seen at once by whoever compares.
        try? serializer.serialize(self)
        return Data(serializer.serializedBytes)
    }
}
