// SPDX-License-Identifier: MIT
internal import COpenSSL

/// A STACK_OF(X509) that holds its own references. Used within one function, never kept.
final class CertificateStack {
    /// STACK_OF(X509) *, owned.
    let handle: OpaquePointer

    init?(_ certificates: some Sequence<X509Certificate>) {
        guard let handle = OPENSSL_sk_new_null() else { return nil }
        self.handle = handle
        for certificate in certificates {
            guard X509_up_ref(certificate.handle) == 1 else { return nil }
            guard OPENSSL_sk_push(handle, UnsafeRawPointer(certificate.handle)) > 0 else {
                X509_free(certificate.handle)
                return nil
            }
        }
    }

    deinit { OPENSSL_sk_pop_free(handle) { X509_free(OpaquePointer($0)) } }

    /// The certificates of a stack that another object owns, in order, borrowed.
    static func handles(in stack: OpaquePointer?) -> [OpaquePointer] {
        guard let stack else { return [] }
        return (0..<max(0, OPENSSL_sk_num(stack))).compactMap { OPENSSL_sk_value(stack, $0).map { OpaquePointer($0) } }
    }
}
