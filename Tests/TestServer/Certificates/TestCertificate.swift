// SPDX-License-Identifier: MIT
package import Foundation
internal import SwiftASN1
internal import X509

/// A certificate made for a test.
package struct TestCertificate: Sendable, Equatable {
    package let der: Data
    let x509: Certificate

    init(_ x509: Certificate) throws {
        var serializer = DER.Serializer()
        try x509.serialize(into: &serializer)
        self.x509 = x509
        der = Data(serializer.serializedBytes)
    }

    package var pem: String { PEMDocument(type: "CERTIFICATE", derBytes: Array(der)).pemString + "\n" }

    /// The public key as SubjectPublicKeyInfo, DER.
    package var publicKeyDER: Data { x509.publicKey.derRepresentation }
}

/// A certificate with its key, and what is needed to show it.
package struct TestIdentity: Sendable {
    /// Leaf first, then the intermediates; without the root.
    package var chain: [TestCertificate]
    package var key: TestKey

    package var certificate: TestCertificate { chain[0] }

    /// The chain as PEM, leaf first: the certificate file of servers and of `curl`.
    package var chainPEM: String { chain.map(\.pem).joined() }

    /// Writes `NAME.pem` (the chain), `NAME.key` (PKCS#8) and `NAME.der` (the leaf) for programs that want files.
    package func write(
        to directory: TemporaryDirectory, name: String = "identity"
    ) throws -> (chain: URL, key: URL, der: URL) {
        (
            chain: try directory.write(chainPEM, to: "\(name).pem"),
            key: try directory.write(key.pem, to: "\(name).key"),
            der: try directory.write(certificate.der, to: "\(name).der")
        )
    }

    /// Key and chain as PKCS#12 under `password`, made by the `openssl` command. With `legacy`: the old algorithms
    /// (RC2, 3DES) that OpenSSL 3 reads only with its legacy provider.
    package func pkcs12(password: String, legacy: Bool = false) throws -> Data {
        let directory = try TemporaryDirectory()
        let files = try write(to: directory)
        let output = directory.file("identity.p12")
        var arguments = [
            "pkcs12", "-export", "-in", files.chain.path, "-inkey", files.key.path, "-out", output.path,
            "-passout", "pass:\(password)",
        ]
        if legacy { arguments.append("-legacy") }
        try ExternalProgram.openssl.run(arguments)
        return try Data(contentsOf: output)
    }
}
