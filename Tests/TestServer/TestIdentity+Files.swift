// SPDX-License-Identifier: MIT
package import Foundation
package import TestTLS

extension TestIdentity {
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
