internal import COpenSSL
package import Foundation

/// A running SHA-256 digest, computed by OpenSSL.
package struct SHA256Hasher: ~Copyable {
    /// EVP_MD_CTX *
    private let context: OpaquePointer?
    private var isValid: Bool

    package init() {
        context = EVP_MD_CTX_new()
        isValid = context != nil && EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard isValid, !bytes.isEmpty else { return }
        isValid = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    }

    /// 32 bytes; empty when OpenSSL failed, which equals no digest.
    package consuming func finish() -> Data {
        guard isValid else { return Data() }
        var digest = Data(count: 32)
        let done = digest.withUnsafeMutableBytes { buffer in
            EVP_DigestFinal_ex(context, buffer.bindMemory(to: UInt8.self).baseAddress, nil) == 1
        }
        return done ? digest : Data()
    }
}
