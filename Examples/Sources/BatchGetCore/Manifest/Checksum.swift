// SPDX-License-Identifier: MIT
internal import CLibCrypto
package import Foundation

/// What the content of a file has to give when it is digested.
package struct Checksum: Sendable, Equatable {
    /// The functions, by their names in the registry of hash functions, which aria2 and Metalink use.
    package enum Algorithm: String, Sendable, CaseIterable {
        case sha512 = "sha-512"
        case sha384 = "sha-384"
        case sha256 = "sha-256"
        case sha224 = "sha-224"
        case sha1 = "sha-1"
        case md5

        /// Bytes of a digest.
        package var length: Int {
            switch self {
            case .sha512: 64
            case .sha384: 48
            case .sha256: 32
            case .sha224: 28
            case .sha1: 20
            case .md5: 16
            }
        }

        var function: OpaquePointer? {
            switch self {
            case .sha512: EVP_sha512()
            case .sha384: EVP_sha384()
            case .sha256: EVP_sha256()
            case .sha224: EVP_sha224()
            case .sha1: EVP_sha1()
            case .md5: EVP_md5()
            }
        }
    }

    package var algorithm: Algorithm
    package var digest: Data

    package init(_ algorithm: Algorithm, _ digest: Data) {
        self.algorithm = algorithm
        self.digest = digest
    }

    /// From a name and hexadecimal digits; nil: the digits are not those of such a digest.
    init?(_ algorithm: Algorithm, hexadecimal: String) {
        guard hexadecimal.utf8.count == algorithm.length * 2, let digest = Data(hexadecimal: hexadecimal) else {
            return nil
        }
        self.init(algorithm, digest)
    }

    /// Reads "sha-256=0123…".
    static func read(_ text: String) throws(ManifestProblem.Reason) -> Checksum {
        let bytes = text.utf8
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            throw .init("has to be TYPE=DIGEST, as sha-256=0123..., not \(quoted(text))")
        }
        let name = String(decoding: bytes[..<equals], as: UTF8.self)
        guard name.utf8.count <= 16, let algorithm = Algorithm(rawValue: name.lowercased()) else {
            let known = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw .init("the type \(quoted(name)) is not known; known: \(known)")
        }
        let digits = String(decoding: bytes[bytes.index(after: equals)...], as: UTF8.self)
        guard let checksum = Checksum(algorithm, hexadecimal: digits) else {
            throw .init(
                "has to have \(algorithm.length * 2) hexadecimal digits for \(algorithm.rawValue), not \(quoted(digits))"
            )
        }
        return checksum
    }
}
