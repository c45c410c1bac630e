internal import COpenSSL
package import Foundation

/// A running SHA-256 digest, computed by OpenSSL.
package struct SHA256Hasher: ~Copyable {
    /// EVP_MD_CTX *
    private let context: OpaquePointer?
    private var isValid: Bool

    package init() {
        OpenSSLRuntime.prepare()
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

    /// The digest of `data` as 64 hexadecimal digits.
    package static func hex(of data: Data) -> String {
        var hasher = SHA256Hasher()
        data.withUnsafeBytes { hasher.update($0) }
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: hasher.finish().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
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
