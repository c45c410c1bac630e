// SPDX-License-Identifier: MIT
package import Foundation
internal import COpenSSL

package enum DEREncoding {
    /// Returns the bytes that one of OpenSSL's `i2d` functions writes.
    package static func data(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) throws -> Data {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = encode(&bytes)
        guard count >= 0, let bytes else { throw OpenSSLFailure("i2d") }
        defer { CRYPTO_free(bytes, nil, 0) }
        return Data(bytes: bytes, count: Int(count))
    }

    /// A tag with its content.
    static func element(_ tag: UInt8, _ content: Data) -> Data {
        var length: [UInt8] = []
        if content.count < 128 {
            length = [UInt8(content.count)]
        } else {
            var rest = content.count
            while rest > 0 {
                length.insert(UInt8(rest & 0xFF), at: 0)
                rest >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return Data([tag] + length) + content
    }
}

extension Data {
    /// The bytes between the lines of a PEM block.
    package func pem(_ type: String) -> String {
        let lines = base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(type)-----\n\(lines)\n-----END \(type)-----\n"
    }
}
