// SPDX-License-Identifier: MIT
internal import COpenSSL
package import Foundation

/// A certificate made for a test.
package struct TestCertificate: Sendable, Equatable {
    package let der: Data

    package var pem: String { der.pem("CERTIFICATE") }

    /// The public key as SubjectPublicKeyInfo, DER.
    package var publicKeyDER: Data {
        // A certificate that was made here can be read; a caller that compares would see an empty answer at once.
        (try? withPointer { certificate in
            try DEREncoding.data { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) }
        }) ?? Data()
    }

    /// Calls with an X509, which is valid during the call.
    func withPointer<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
        let certificate = try der.withUnsafeBytes { bytes in
            var start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return try OpenSSLFailure.check(d2i_X509(nil, &start, bytes.count), "d2i_X509")
        }
        defer { X509_free(certificate) }
        return try body(certificate)
    }
}

/// A certificate with its key, and what is needed to show it.
package struct TestIdentity: Sendable {
    /// Leaf first, then the intermediates; without the root.
    package var chain: [TestCertificate]
    package var key: TestKey

    package var certificate: TestCertificate { chain[0] }

    /// The chain as PEM, leaf first: the certificate file of servers and of `curl`.
    package var chainPEM: String { chain.map(\.pem).joined() }
}
