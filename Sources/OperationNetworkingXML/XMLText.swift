// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworkingSerialization

/// XML as it comes over HTTP, made safe for FoundationXML.
enum XMLText {
    /// libxml2 refuses to build a tree that is deeper.
    static let nestingLimit = 256

    /// The media types that a serializer of XML accepts unless told otherwise.
    static let mediaTypes: Set<String> = ["application/xml", "text/xml"]

    /// The document in UTF-8, without an encoding declaration that says otherwise, scanned (see ``XMLScanner``).
    ///
    /// The encoding is, as RFC 7303 has it, what the byte order mark says (or the zeros of UTF-16 and 32), else the
    /// response's charset, if that is one that is known, else the document itself.
    ///
    /// - Throws: `CocoaError` 3840.
    static func parsable(_ data: Data, charset: String?, nestingLimit: Int) throws -> Data {
        let charset = try BodyText.meaning(ofCharset: charset) ?? declaredCharset(in: data)
        let text = try withoutDeclaredCharset(BodyText.unicode(data, charset: charset, fallback: .utf8))
        let ends = try text.withUnsafeBytes { bytes in
            var scanner = XMLScanner(bytes, nestingLimit: nestingLimit)
            try scanner.scan()
            return scanner.bareInstructionEnds
        }
        return ends.isEmpty ? text : inserting(UInt8(ascii: " "), at: ends, in: text)
    }

    /// FoundationXML crashes on an instruction without data; a space gives it empty data.
    private static func inserting(_ byte: UInt8, at positions: [Int], in text: Data) -> Data {
        var result = Data(capacity: text.count + positions.count)
        var rest = text[...]
        for position in positions {
            result.append(rest.prefix(upTo: text.startIndex + position))
            result.append(byte)
            rest = rest.suffix(from: text.startIndex + position)
        }
        result.append(rest)
        return result
    }

    /// The encoding a document in an ASCII-like encoding declares; UTF-16 and 32 it cannot be.
    private static func declaredCharset(in data: Data) throws -> String? {
        guard let name = try XMLDeclaration(of: data)?.encoding else { return nil }
        let folded = name.lowercased()  // checked: at most 512 bytes
        return folded.hasPrefix("utf-16") || folded.hasPrefix("utf-32") ? nil : name
    }

    /// Overwrites a declared encoding that is not UTF-8 with blanks: the text is UTF-8 by now.
    private static func withoutDeclaredCharset(_ text: Data) throws -> Data {
        guard let declaration = try XMLDeclaration(of: text), let attribute = declaration.encodingAttribute,
            declaration.encoding?.lowercased() != "utf-8"  // checked: at most 512 bytes
        else { return text }
        var result = text
        let range = text.startIndex + attribute.lowerBound..<text.startIndex + attribute.upperBound
        result.replaceSubrange(range, with: repeatElement(UInt8(ascii: " "), count: range.count))
        return result
    }
}
