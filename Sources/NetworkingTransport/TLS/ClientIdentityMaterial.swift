// SPDX-License-Identifier: MIT
package import Foundation

/// A client certificate chain and its key, as PEM, already checked to belong together.
package struct ClientIdentityMaterial: Sendable {
    /// Leaf first.
    package let certificateChainPEM: Data
    /// Unencrypted; never printed.
    package let privateKeyPEM: Data
    /// SHA-256 over the chain and the public key, in hex: tells identities apart without revealing them.
    package let fingerprint: String
    package init(certificateChainPEM: Data, privateKeyPEM: Data, fingerprint: String) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
        self.fingerprint = fingerprint
    }
}

// So that neither print nor dump nor a debugger's summary shows the key.
extension ClientIdentityMaterial: CustomStringConvertible, CustomReflectable {
    package var description: String { "client identity \(fingerprint.prefix(16))" }
    package var customMirror: Mirror { Mirror(self, children: ["fingerprint": fingerprint]) }
}
