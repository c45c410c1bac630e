// SPDX-License-Identifier: MIT
internal import COpenSSL

/// The hash functions of Digest authentication (RFC 7616, section 3.2), computed by OpenSSL.
package struct DigestAlgorithm: Sendable, Equatable {
    package enum Function: Sendable { case md5, sha256, sha512Truncated }

    package let function: Function
    /// True if the client's nonce is part of the secret ("-sess").
    package let isSession: Bool

    /// As in `algorithm`, without regard to case. Nil: unknown, or not in this OpenSSL.
    package init?(name: [UInt8]) {
        let lowercased = name.prefix(32).map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        switch String(decoding: lowercased, as: UTF8.self) {
        case "md5": self.init(.md5, isSession: false)
        case "md5-sess": self.init(.md5, isSession: true)
        case "sha-256": self.init(.sha256, isSession: false)
        case "sha-256-sess": self.init(.sha256, isSession: true)
        case "sha-512-256": self.init(.sha512Truncated, isSession: false)
        case "sha-512-256-sess": self.init(.sha512Truncated, isSession: true)
        default: return nil
        }
        guard hexDigest(of: []) != nil else { return nil }
    }

    init(_ function: Function, isSession: Bool) {
        self.function = function
        self.isSession = isSession
    }

    var name: String {
        let base =
            switch function {
            case .md5: "MD5"
            case .sha256: "SHA-256"
            case .sha512Truncated: "SHA-512-256"
            }
        return isSession ? base + "-sess" : base
    }

    /// The hash in lower-case hexadecimal digits. Nil: OpenSSL does not compute it, as MD5 in a FIPS configuration.
    func hexDigest(of bytes: [UInt8]) -> [UInt8]? {
        let type =
            switch function {
            case .md5: EVP_md5()
            case .sha256: EVP_sha256()
            case .sha512Truncated: EVP_sha512_256()
            }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &length, type, nil) == 1 else {
            ERR_clear_error()
            return nil
        }
        return digest.prefix(Int(length)).flatMap { [Self.digit($0 >> 4), Self.digit($0 & 15)] }
    }

    static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }
}
