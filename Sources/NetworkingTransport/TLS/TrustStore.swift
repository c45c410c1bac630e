// SPDX-License-Identifier: MIT
internal import COpenSSL

/// Certificates that chains may end in, and lists of revoked ones.
package final class TrustStore: Sendable {
    /// X509_STORE *, owned.
    // Safe because the store is not changed after `init`; what it loads on demand it does under its own lock.
    nonisolated(unsafe) let handle: OpaquePointer
    /// Folders of hashed certificates that the store looks into when it needs one.
    private let folders: [String]
    /// True if a revocation list has to cover every certificate of a chain.
    let checksRevocation: Bool

    /// The certificates given, after those of `base`; shared, not parsed again.
    ///
    /// With revocation lists, every certificate of a chain has to be covered by one of them.
    package init(
        base: TrustStore? = nil, anchors: some Sequence<X509Certificate> = [],
        revocationLists: [CertificateRevocationList] = []
    ) throws(OpenSSLError) {
        OpenSSLRuntime.prepare()
        guard let handle = X509_STORE_new() else { throw OpenSSLError.drain() }
        self.handle = handle
        folders = base?.folders ?? []
        checksRevocation = !revocationLists.isEmpty || base?.checksRevocation ?? false
        try OpenSSLError.leavingQueueUntouched { () throws(OpenSSLError) in
            if let base { try Self.add(contentsOf: base, to: handle) }
            for anchor in anchors {
                guard X509_STORE_add_cert(handle, anchor.handle) == 1 else { throw OpenSSLError.drain() }
            }
            for list in revocationLists {
                guard X509_STORE_add_crl(handle, list.handle) == 1 else { throw OpenSSLError.drain() }
            }
        }
    }

    /// The certificates of PEM files, loaded now, and of folders of hashed certificates, loaded on demand.
    init(files: [String], folders: [String]) throws(OpenSSLError) {
        OpenSSLRuntime.prepare()
        guard let handle = X509_STORE_new() else { throw OpenSSLError.drain() }
        self.handle = handle
        self.folders = folders
        checksRevocation = false
        try OpenSSLError.leavingQueueUntouched { () throws(OpenSSLError) in
            for file in files {
                guard X509_STORE_load_file(handle, file) == 1 else { throw OpenSSLError.drain() }
            }
            for folder in folders {
                guard X509_STORE_load_path(handle, folder) == 1 else { throw OpenSSLError.drain() }
            }
        }
    }

    deinit { X509_STORE_free(handle) }

    private static func add(contentsOf base: TrustStore, to handle: OpaquePointer) throws(OpenSSLError) {
        // A lookup in a folder may add to the other store meanwhile.
        guard X509_STORE_lock(base.handle) == 1 else { throw OpenSSLError.drain() }
        defer { X509_STORE_unlock(base.handle) }
        guard let objects = X509_STORE_get0_objects(base.handle) else { throw OpenSSLError.drain() }
        for index in 0..<max(0, OPENSSL_sk_num(objects)) {
            guard let object = OPENSSL_sk_value(objects, index).map({ OpaquePointer($0) }) else { continue }
            if let certificate = X509_OBJECT_get0_X509(object) {
                guard X509_STORE_add_cert(handle, certificate) == 1 else { throw OpenSSLError.drain() }
            } else if let list = X509_OBJECT_get0_X509_CRL(object) {
                guard X509_STORE_add_crl(handle, list) == 1 else { throw OpenSSLError.drain() }
            }
        }
        for folder in base.folders {
            guard X509_STORE_load_path(handle, folder) == 1 else { throw OpenSSLError.drain() }
        }
    }
}
