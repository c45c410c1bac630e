// SPDX-License-Identifier: MIT
internal import COpenSSL
package import Foundation

/// One list of revoked certificates, parsed.
package final class CertificateRevocationList: Sendable {
    /// X509_CRL *, owned.
    // Safe because nothing changes the list after `init`; what OpenSSL caches in it is behind OpenSSL's own lock.
    nonisolated(unsafe) let handle: OpaquePointer

    private init(takingOwnership handle: OpaquePointer) { self.handle = handle }

    deinit { X509_CRL_free(handle) }

    /// The lists of a file: any number as PEM, or one as DER. Throws when the file has no list, or one does not parse.
    package static func lists(in data: Data) throws(OpenSSLError) -> [CertificateRevocationList] {
        try OpenSSLError.leavingQueueUntouched { () throws(OpenSSLError) in try parse(data) }
    }

    private static func parse(_ data: Data) throws(OpenSSLError) -> [CertificateRevocationList] {
        guard data.range(of: Data("-----BEGIN ".utf8)) != nil else {
            let handle = data.withUnsafeBytes { bytes -> OpaquePointer? in
                var position = bytes.bindMemory(to: UInt8.self).baseAddress
                return position == nil ? nil : d2i_X509_CRL(nil, &position, bytes.count)
            }
            guard let handle else { throw OpenSSLError.drain() }
            return [CertificateRevocationList(takingOwnership: handle)]
        }
        let bio = try MemoryBIO(copyingPEM: data)
        var lists: [CertificateRevocationList] = []
        while let handle = PEM_read_bio_X509_CRL(bio.handle, nil, nil, nil) {
            lists.append(CertificateRevocationList(takingOwnership: handle))
        }
        let error = OpenSSLError.drain()
        guard !lists.isEmpty, error.isEndOfPEM else { throw error }
        return lists
    }
}

extension OpenSSLError {
    /// The queue of a PEM reader that has come to the end of its input.
    var isEndOfPEM: Bool {
        entries.last.map { $0.library == Int(ERR_LIB_PEM) && $0.reason == Int(PEM_R_NO_START_LINE) } ?? false
    }
}
