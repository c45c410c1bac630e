// SPDX-License-Identifier: MIT
internal import COpenSSL
package import Foundation

/// A running SHA-256 digest, computed by OpenSSL.
package struct SHA256Hasher: ~Copyable {
    /// OpenSSL computes no SHA-256: there is no memory, or its configuration does not offer it.
    package struct Unavailable: DescribedFailure, Sendable, Hashable {
        package var description: String { "OpenSSL does not compute SHA-256; look at its configuration (openssl.cnf)" }
    }

    /// EVP_MD *, found once, and not again for each digest.
    // Safe because OpenSSL only reads it.
    private nonisolated(unsafe) static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    /// EVP_MD_CTX *
    private let context: OpaquePointer?
    private var isValid: Bool

    package init() {
        OpenSSLRuntime.prepare()
        context = EVP_MD_CTX_new()
        isValid = OpenSSLError.leavingQueueUntouched { [context] in
            context != nil && EVP_DigestInit_ex(context, Self.algorithm ?? EVP_sha256(), nil) == 1
        }
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard isValid, !bytes.isEmpty else { return }
        isValid = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    }

    package mutating func update(_ text: String) {
        var text = text
        text.withUTF8 { update(UnsafeRawBufferPointer($0)) }
    }

    /// The digest of `data` as 64 hexadecimal digits.
    package static func hex(of data: Data) throws(Unavailable) -> String {
        var hasher = SHA256Hasher()
        data.withUnsafeBytes { hasher.update($0) }
        let digits = Array("0123456789abcdef".utf8)
        let digest = try hasher.finish()
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The first 16 digits of the digest, for messages; "unknown" when hashing fails. Not for comparisons.
    package static func abbreviation(of data: Data) -> String {
        (try? hex(of: data)).map { String($0.prefix(16)) } ?? "unknown"
    }

    /// 32 bytes, never fewer.
    package consuming func finish() throws(Unavailable) -> Data { Data(try finishBytes()) }

    /// The same.
    package consuming func finishBytes() throws(Unavailable) -> [UInt8] {
        guard isValid else { throw Unavailable() }
        var digest = [UInt8](repeating: 0, count: 32)
        let done = digest.withUnsafeMutableBufferPointer { EVP_DigestFinal_ex(context, $0.baseAddress, nil) == 1 }
        guard done else { throw Unavailable() }
        return digest
    }
}
