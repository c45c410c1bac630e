// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworkingSerialization

/// The XML declaration at the start of a document: `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`.
struct XMLDeclaration {
    /// The name of the encoding, if the declaration has one.
    let encoding: String?
    /// The range of `encoding="…"`, counted from the start of the document.
    let encodingAttribute: Range<Int>?

    /// The declaration of a document in an ASCII-like encoding; `nil` if it has none.
    ///
    /// Strict, so that no parser finds another encoding there than this one does.
    ///
    /// - Throws: `CocoaError` 3840 for a broken or overlong one.
    init?(of document: Data) throws {
        var cursor = Cursor(bytes: Array(document.prefix(512)))
        guard cursor.consume("<?xml"), cursor.skipBlanks() else { return nil }
        var name: String?
        var attribute: Range<Int>?
        guard cursor.consume("version"), let version = cursor.value(), version.allSatisfy({ $0 == "." || $0.isNumber })
        else { throw Self.broken }
        var separated = cursor.skipBlanks()
        let start = cursor.position
        if separated, cursor.consume("encoding") {
            guard let value = cursor.value() else { throw Self.broken }
            name = value
            attribute = start..<cursor.position
            separated = cursor.skipBlanks()
        }
        if separated, cursor.consume("standalone") {
            guard let value = cursor.value(), value == "yes" || value == "no" else { throw Self.broken }
            _ = cursor.skipBlanks()
        }
        guard cursor.consume("?>") else { throw Self.broken }
        encoding = name
        encodingAttribute = attribute
    }

    private static var broken: CocoaError { .unreadable("The XML declaration of the body is broken") }

    private struct Cursor {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        mutating func consume(_ token: String) -> Bool {
            guard bytes[position...].starts(with: token.utf8) else { return false }
            position += token.utf8.count
            return true
        }

        /// Returns true if there were any blanks.
        mutating func skipBlanks() -> Bool {
            let rest = bytes[position...].drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
            defer { position = rest.startIndex }
            return rest.startIndex > position
        }

        /// `="value"`, of characters that names of encodings may have.
        mutating func value() -> String? {
            _ = skipBlanks()
            guard consume("=") else { return nil }
            _ = skipBlanks()
            guard position < bytes.count,
                let quote = [UInt8(ascii: "\""), UInt8(ascii: "'")].first(where: { $0 == bytes[position] }),
                let end = bytes[(position + 1)...].firstIndex(of: quote)
            else { return nil }
            let value = bytes[(position + 1)..<end]
            position = end + 1
            let allowed = value.allSatisfy { byte in
                0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
                    || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":")].contains(byte)
            }
            return allowed && !value.isEmpty ? String(decoding: value, as: UTF8.self) : nil
        }
    }
}
