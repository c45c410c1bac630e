// SPDX-License-Identifier: MIT
internal import COpenSSL
package import Foundation
internal import Glibc

extension ClientIdentityMaterial {
    /// Reads a chain (its first certificate is the client's) and the key of that certificate.
    ///
    /// - Parameter password: What an encrypted key is encrypted with.
    package init(
        certificateChainPEM: Data, privateKeyPEM: Data, password: String?
    ) throws(ClientIdentityMaterialError) {
        self = try OpenSSLError.leavingQueueUntouched { () throws(ClientIdentityMaterialError) in
            let chain: [X509Certificate]
            do {
                chain = try X509Certificate.certificates(inPEM: certificateChainPEM)
            } catch {
                throw .certificate("\(error)")
            }
            guard let leaf = chain.first else { throw .certificate("there is no certificate in the PEM text") }
            let key = try PrivateKey(pem: privateKeyPEM, password: password)
            return try Self.material(leaf: leaf, others: Array(chain.dropFirst()), key: key)
        }
    }

    /// Reads a PKCS#12 file (`.p12`, `.pfx`): one key, its certificate, and the rest of the chain.
    package init(pkcs12: Data, password: String) throws(ClientIdentityMaterialError) {
        self = try OpenSSLError.leavingQueueUntouched { () throws(ClientIdentityMaterialError) in
            let file = pkcs12.withUnsafeBytes { bytes -> OpaquePointer? in
                var position = bytes.bindMemory(to: UInt8.self).baseAddress
                return position == nil ? nil : d2i_PKCS12(nil, &position, bytes.count)
            }
            guard let file else { throw .pkcs12("not a PKCS#12 file: \(OpenSSLError.drain())") }
            defer { PKCS12_free(file) }
            var keyHandle: OpaquePointer?
            var leafHandle: OpaquePointer?
            var otherHandles: OpaquePointer?
            defer { OPENSSL_sk_pop_free(otherHandles) { X509_free(OpaquePointer($0)) } }
            guard PKCS12_parse(file, password, &keyHandle, &leafHandle, &otherHandles) == 1 else {
                let error = OpenSSLError.drain()
                let isMAC = error.entries.contains {
                    $0.library == Int(ERR_LIB_PKCS12) && $0.reason == Int(PKCS12_R_MAC_VERIFY_FAILURE)
                }
                guard PKCS12_mac_present(file) == 1 else {
                    throw .pkcs12(
                        "the file has no MAC, and OpenSSL does not read it without; write it anew with one (openssl "
                            + "pkcs12 -export)")
                }
                throw isMAC ? .wrongPassword : .pkcs12("\(error)")
            }
            let key = keyHandle.map { PrivateKey(takingOwnership: $0) }
            let leaf = leafHandle.flatMap { X509Certificate(takingOwnership: $0) }
            guard let key else { throw .privateKey("the PKCS#12 file holds no private key") }
            guard let leaf else { throw .certificate("the PKCS#12 file holds no certificate for its key") }
            let others = CertificateStack.handles(in: otherHandles).compactMap { X509Certificate(sharing: $0) }
            return try Self.material(leaf: leaf, others: Self.inOrder(others, after: leaf), key: key)
        }
    }

    private static func material(
        leaf: X509Certificate, others: [X509Certificate], key: PrivateKey
    ) throws(ClientIdentityMaterialError) -> ClientIdentityMaterial {
        guard X509_check_private_key(leaf.handle, key.handle) == 1 else {
            throw .keyMismatch(subject: leaf.subject)
        }
        var named = leaf.publicKeyDER
        var pem = Data()
        for certificate in [leaf] + others {
            named.append(certificate.der)
            guard let text = certificate.pem else { throw .certificate("out of memory") }
            pem.append(text)
        }
        guard let fingerprint = try? SHA256Hasher.hex(of: named) else {
            throw .certificate("\(SHA256Hasher.Unavailable())")
        }
        return ClientIdentityMaterial(
            certificateChainPEM: pem, privateKeyPEM: try key.pem(), fingerprint: fingerprint)
    }

    /// The issuer of each certificate behind it, as far as they are there; what does not belong to the chain is left
    /// out.
    private static func inOrder(_ certificates: [X509Certificate], after leaf: X509Certificate) -> [X509Certificate] {
        var rest = certificates
        var ordered: [X509Certificate] = []
        var last = leaf
        while let index = rest.firstIndex(where: { X509_check_issued($0.handle, last.handle) == X509_V_OK }) {
            last = rest.remove(at: index)
            ordered.append(last)
        }
        return ordered
    }
}

/// A private key, parsed. Used within one function, never kept.
private final class PrivateKey {
    /// EVP_PKEY *, owned.
    let handle: OpaquePointer

    init(takingOwnership handle: OpaquePointer) { self.handle = handle }

    /// Reads the first private key of a PEM text.
    init(pem: Data, password: String?) throws(ClientIdentityMaterialError) {
        guard let bio = try? MemoryBIO(copyingPEM: pem) else { throw .privateKey("out of memory") }
        let request = PasswordRequest(password)
        let parsed = withExtendedLifetime(request) {
            PEM_read_bio_PrivateKey(
                bio.handle, nil,
                // Without a function of ours OpenSSL would ask on the terminal.
                { buffer, size, _, argument in
                    guard let buffer, let argument else { return -1 }
                    return Unmanaged<PasswordRequest>.fromOpaque(argument).takeUnretainedValue()
                        .answer(UnsafeMutableRawBufferPointer(start: buffer, count: Int(max(0, size))))
                }, Unmanaged.passUnretained(request).toOpaque())
        }
        guard let parsed else {
            let error = OpenSSLError.drain()
            if request.wasAsked { throw password == nil ? .passwordRequired : .wrongPassword }
            throw .privateKey("\(error)")
        }
        handle = parsed
    }

    deinit { EVP_PKEY_free(handle) }

    /// PKCS#8, not encrypted.
    func pem() throws(ClientIdentityMaterialError) -> Data {
        guard let bio = try? MemoryBIO(),
            PEM_write_bio_PKCS8PrivateKey(bio.handle, handle, nil, nil, 0, nil, nil) == 1
        else { throw .privateKey("the key cannot be written: \(OpenSSLError.drain())") }
        return bio.contents
    }
}

/// The password for OpenSSL's password callback. Used on one thread, within one call.
private final class PasswordRequest {
    private let password: String?
    private(set) var wasAsked = false

    init(_ password: String?) { self.password = password }

    /// Writes the password and returns its length, or −1 when there is no password or it does not fit.
    func answer(_ buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        wasAsked = true
        guard let password, password.utf8.count <= buffer.count else { return -1 }
        buffer.copyBytes(from: password.utf8)
        return Int32(clamping: password.utf8.count)
    }
}
