// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

extension URL {
    /// This URL as errors show it: without user name, password and fragment, with `***` for what query items hold whose
    /// names look like those of secrets, and cut where it is very long.
    package var masked: String { withoutUserInfo.absoluteString.withoutSecretValues }
}

extension String {
    /// Bytes of a URL that are shown.
    private static let maximumShownLength = 300

    /// A URL's text, or what was to be one, without fragment and the values of query items that look like secrets.
    package var withoutSecretValues: String {
        let bytes = Array(utf8)
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        var shown = bytes[..<(bytes[..<end].firstIndex(of: UInt8(ascii: "?")) ?? end)]
        if shown.count < end {
            let items = bytes[(shown.count + 1)..<end]
                .split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map(Self.maskingValue)
            shown.append(UInt8(ascii: "?"))
            shown += items.joined(separator: [UInt8(ascii: "&")])
        }
        let isCut = shown.count > Self.maximumShownLength
        return String(decoding: shown.prefix(Self.maximumShownLength), as: UTF8.self) + (isCut ? "…" : "")
    }

    private static func maskingValue(_ item: ArraySlice<UInt8>) -> [UInt8] {
        guard let equals = item.firstIndex(of: UInt8(ascii: "=")), isSecret(item[..<equals]) else { return Array(item) }
        return item[...equals] + Array("***".utf8)
    }

    /// Returns true if a query item's name is usual for secrets: those of OAuth, signed URLs and API keys.
    private static func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.count <= 128 else { return true }
        let name = URLEscaping.decoded(name).map(\.lowercasedASCII)
        return secretNames.contains { $0.utf8.elementsEqual(name) }
            || secretParts.contains { part in
                name.indices.contains { name[$0...].starts(with: part.utf8) }
            }
    }

    private static let secretNames = ["auth", "code", "jwt", "key", "nonce", "otp", "pass", "pin", "sid", "sig"]
    private static let secretParts = [
        "access_key", "accesskey", "api-key", "api_key", "apikey", "assertion", "authoriz", "credential", "passphrase",
        "passw", "private", "pwd", "secret", "session", "signature", "token",
    ]
}
