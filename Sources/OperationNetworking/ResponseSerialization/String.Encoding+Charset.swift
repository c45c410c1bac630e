// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

extension String.Encoding {
    /// The encoding a charset name of HTTP stands for, without regard to case; `nil` if it is unknown here.
    ///
    /// Foundation's table has only the encodings that are constants of `String.Encoding`; the rest is here.
    package init?(charset: String) {
        let bytes = charset.utf8.trimmingBlanks
        // IANA has none that is longer than 45.
        guard bytes.count <= 64, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let name = String(Substring(bytes)).lowercased()  // checked: bounded ASCII
        if let encoding = String.Encoding(ianaName: name) {
            self = encoding
        } else if let rawValue = Self.furtherCharsets[name] {
            self.init(rawValue: rawValue)
        } else {
            return nil
        }
    }

    /// Raw values as Foundation makes them from CoreFoundation's encoding numbers.
    private static let furtherCharsets: [String: UInt] = [
        "utf8": String.Encoding.utf8.rawValue,
        "utf16": String.Encoding.utf16.rawValue,
        "latin1": String.Encoding.isoLatin1.rawValue,
        "gb2312": 0x8000_0632, "gbk": 0x8000_0632, "gb18030": 0x8000_0632,
        "big5": 0x8000_0A03, "euc-kr": 0x8000_0940, "ks_c_5601-1987": 0x8000_0940,
        "koi8-r": 0x8000_0A02, "koi8-u": 0x8000_0A08,
        "iso-8859-3": 0x8000_0203, "iso-8859-4": 0x8000_0204, "iso-8859-5": 0x8000_0205, "iso-8859-6": 0x8000_0206,
        "iso-8859-7": 0x8000_0207, "iso-8859-8": 0x8000_0208, "iso-8859-9": 0x8000_0209, "iso-8859-10": 0x8000_020A,
        "iso-8859-13": 0x8000_020D, "iso-8859-14": 0x8000_020E, "iso-8859-15": 0x8000_020F,
        "iso-8859-16": 0x8000_0210,
        "windows-1255": 0x8000_0505, "windows-1256": 0x8000_0506, "windows-1257": 0x8000_0507,
        "windows-1258": 0x8000_0508, "windows-874": 0x8000_041D,
    ]
}
