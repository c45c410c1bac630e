// SPDX-License-Identifier: MIT
internal import COpenSSL
package import Foundation

/// One X.509 certificate, parsed.
package final class X509Certificate: Sendable {
    /// X509 *, owned.
    // Safe because nothing changes the certificate after `init`; what OpenSSL caches in it is behind OpenSSL's own
    // lock.
    nonisolated(unsafe) let handle: OpaquePointer
    /// The certificate's encoding.
    package let der: Data

    /// Parses exactly one certificate.
    ///
    /// Bytes after the certificate, and encodings that are not DER although OpenSSL reads them, are errors: two byte
    /// strings are never the same certificate.
    package init(der: Data) throws(OpenSSLError) {
        handle = try OpenSSLError.leavingQueueUntouched { () throws(OpenSSLError) -> OpaquePointer in
            let handle = der.withUnsafeBytes { bytes -> OpaquePointer? in
                var position = bytes.bindMemory(to: UInt8.self).baseAddress
                guard let start = position else { return nil }
                guard let handle = d2i_X509(nil, &position, bytes.count) else { return nil }
                guard position == start + bytes.count else {
                    X509_free(handle)
                    return nil
                }
                return handle
            }
            guard let handle else { throw .drain() }
            guard Self.encoding(of: handle) == der else {
                X509_free(handle)
                throw .drain()
            }
            return handle
        }
        // A slice would keep the whole of what it was cut from.
        self.der = der.startIndex == 0 ? der : Data(der)
    }

    /// Takes over a reference to a certificate; nil, and the reference given back, when it cannot be encoded.
    init?(takingOwnership handle: OpaquePointer) {
        guard let der = Self.encoding(of: handle) else {
            X509_free(handle)
            return nil
        }
        self.handle = handle
        self.der = der
    }

    /// Shares a certificate that another object owns; nil when it cannot be encoded.
    convenience init?(sharing handle: OpaquePointer) {
        guard X509_up_ref(handle) == 1 else { return nil }
        self.init(takingOwnership: handle)
    }

    deinit { X509_free(handle) }

    /// The subject's distinguished name, as in "CN=example.com, O=Example"; cut at 256 characters.
    package var subject: String { Self.text(of: X509_get_subject_name(handle)) }

    /// The key with its algorithm: SubjectPublicKeyInfo, as DER.
    package var publicKeyDER: Data {
        guard let key = X509_get_X509_PUBKEY(handle) else { return Data() }
        return Self.encoding { i2d_X509_PUBKEY(key, $0) } ?? Data()
    }

    /// True if subject and issuer are the same name, and the key identifiers agree, as in a root.
    package var isSelfIssued: Bool {
        OpenSSLError.leavingQueueUntouched { X509_check_issued(handle, handle) == X509_V_OK }
    }

    /// DER of a certificate that another object owns.
    static func encoding(of handle: OpaquePointer) -> Data? { encoding { i2d_X509(handle, $0) } }

    /// Runs an `i2d_` function for its size, then for its bytes.
    static func encoding(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> Data? {
        let size = encode(nil)
        guard size > 0 else { return nil }
        var data = Data(count: Int(size))
        let written = data.withUnsafeMutableBytes { bytes -> Int32 in
            var position = bytes.bindMemory(to: UInt8.self).baseAddress
            return encode(&position)
        }
        return written == size ? data : nil
    }

    private static func text(of name: OpaquePointer?) -> String {
        OpenSSLError.leavingQueueUntouched {
            guard let name, let bio = try? MemoryBIO(), ONSSL_X509_NAME_print(bio.handle, name) >= 0 else { return "" }
            return String(String(decoding: bio.contents, as: UTF8.self).prefix(256))
        }
    }
}

extension X509Certificate: Hashable {
    package static func == (left: X509Certificate, right: X509Certificate) -> Bool { left.der == right.der }
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
