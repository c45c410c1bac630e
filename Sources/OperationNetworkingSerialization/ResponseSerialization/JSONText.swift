// SPDX-License-Identifier: MIT
internal import Foundation

/// JSON as it comes over HTTP: in any charset, and nested as deep as the sender likes.
package enum JSONText {
    /// The media types that a serializer of JSON accepts by default.
    static let mediaTypes: Set<String> = ["application/json", "text/json", "text/javascript"]

    /// Foundation's parsers refuse what is nested deeper, for any limit here.
    static let foundationsNestingLimit = 512

    /// Returns true if a body says "nothing": empty, or the single space some frameworks send for it.
    static func isEmpty(_ data: Data) -> Bool {
        data.isEmpty || (data.count == 1 && data.first == 0x20)
    }

    /// The text in UTF-8, not nested deeper than `nestingLimit`, with keys that can be hashed in linear time. All JSON
    /// from outside comes through here: Foundation's parsers find out for themselves which encoding they read.
    ///
    /// - Parameter includingValues: True if that is to hold for values, too: for JSON that is decoded, as types compare
    ///   and hash what they get, and for JSON5.
    /// - Throws: `CocoaError` 3840 if the bytes are not text of the encoding they should have, are nested too deep, or
    ///   have such a key or value.
    package static func parsable(
        _ data: Data, charset: String? = nil, fallback: String.Encoding = .utf8,
        nestingLimit: Int = foundationsNestingLimit, includingValues: Bool = false
    ) throws -> Data {
        // Of JSON the parameter has no meaning (RFC 8259, section 11): one that says nothing decides nothing.
        let charset = BodyText.meaning(ofCharset: charset)
        let text = try BodyText.unicode(data, charset: charset, fallback: fallback)
        try TextRuns.checkJSON(text, includingValues: includingValues)
        if nestingLimit < foundationsNestingLimit, nests(text, deeperThan: nestingLimit) {
            throw CocoaError.unreadable("The JSON text is nested deeper than \(nestingLimit) levels, the limit set")
        }
        return text
    }

    /// The text of an archive, of which values, too, can be hashed and compared in linear time.
    ///
    /// - Throws: as `parsable`.
    package static func archived(_ data: Data) throws -> Data { try parsable(data, includingValues: true) }

    /// Returns true if brackets are open `limit` deep and one more opens. For text that is not valid JSON the answer
    /// does not matter: it will not parse.
    private static func nests(_ text: Data, deeperThan limit: Int) -> Bool {
        guard text.count > limit else { return false }
        return text.withUnsafeBytes { bytes in
            var depth = 0
            var inString = false
            var escaped = false
            for byte in bytes {
                if inString {
                    if escaped {
                        escaped = false
                    } else if byte == UInt8(ascii: "\\") {
                        escaped = true
                    } else if byte == UInt8(ascii: "\"") {
                        inString = false
                    }
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""): inString = true
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    depth += 1
                    if depth > limit { return true }
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
            }
            return false
        }
    }
}
