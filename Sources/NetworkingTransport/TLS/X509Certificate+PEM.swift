// SPDX-License-Identifier: MIT
internal import COpenSSL
package import Foundation

extension X509Certificate {
    /// All certificates of a PEM text, in order; other things in it are passed over.
    ///
    /// - Throws: When one does not parse. A text without any is not an error.
    package static func certificates(inPEM data: Data) throws(OpenSSLError) -> [X509Certificate] {
        try OpenSSLError.leavingQueueUntouched { () throws(OpenSSLError) in
            let bio = try MemoryBIO(copyingPEM: data)
            var certificates: [X509Certificate] = []
            while let handle = PEM_read_bio_X509(bio.handle, nil, nil, nil) {
                guard let certificate = X509Certificate(takingOwnership: handle) else { throw OpenSSLError.drain() }
                certificates.append(certificate)
            }
            let error = OpenSSLError.drain()
            guard error.isEndOfPEM else { throw error }
            return certificates
        }
    }

    /// The certificate as PEM text.
    var pem: Data? {
        OpenSSLError.leavingQueueUntouched {
            guard let bio = try? MemoryBIO(), PEM_write_bio_X509(bio.handle, handle) == 1 else { return nil }
            return bio.contents
        }
    }
}
