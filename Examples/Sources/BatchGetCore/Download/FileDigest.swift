// SPDX-License-Identifier: MIT
internal import CLibCrypto
internal import Foundation
internal import Glibc

/// The digest of a file.
enum FileDigest {
    /// Why there is none.
    struct Failure: Error, LocalizedError {
        let errorDescription: String?
    }

    private static let blockSize = 1 << 20

    /// - Parameters:
    ///   - algorithm: which digest.
    ///   - descriptor: of the file, read from where it stands.
    ///   - path: what errors call it.
    ///   - progress: told of the bytes so far after each block; false ends the reading.
    /// - Returns: nil when the reading was ended.
    /// - Throws: `Failure` when the file cannot be read.
    static func digest(
        _ algorithm: Checksum.Algorithm, of descriptor: Int32, path: String, progress: (Int64) -> Bool
    ) throws -> Data? {
        guard let context = EVP_MD_CTX_new() else { throw Failure(errorDescription: "no memory for a digest") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestInit_ex(context, algorithm.function, nil) == 1 else {
            throw Failure(errorDescription: "OpenSSL offers no \(algorithm.rawValue)")
        }
        var block = [UInt8](repeating: 0, count: blockSize)
        var position: Int64 = 0
        while true {
            let count = read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path) }
            if count == 0 { break }
            guard EVP_DigestUpdate(context, block, count) == 1 else {
                throw Failure(errorDescription: "OpenSSL could not digest \(path)")
            }
            position += Int64(count)
            guard progress(position) else { return nil }
        }
        var digest = [UInt8](repeating: 0, count: algorithm.length)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else {
            throw Failure(errorDescription: "OpenSSL could not digest \(path)")
        }
        return Data(digest)
    }

    private static func failure(_ path: String) -> Failure {
        Failure(errorDescription: "cannot read \(path): \(String(cString: strerror(errno)))")
    }
}
