// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworkingSerialization

/// A look over an XML document before FoundationXML gets it.
///
/// On Linux FoundationXML crashes on some document type declarations, on unknown encodings, on documents that do not
/// begin with markup, on processing instructions without data and on bytes that are not UTF-8 in one; and a document
/// tree reads files that entities name.
/// The scanner follows the grammar of markup strictly up to the root element and in outline below it; what it cannot
/// follow is an error and never reaches the parser.
struct XMLScanner {
    private let bytes: UnsafeRawBufferPointer
    private let nestingLimit: Int
    private var position = 0
    private var depth = 0
    /// The number of namespaces that each open element declares, and that all of them declare.
    private var declarations: [Int] = []
    private var declarationCount = 0
    /// The ends of processing instructions without data.
    private(set) var bareInstructionEnds: [Int] = []

    init(_ bytes: UnsafeRawBufferPointer, nestingLimit: Int) {
        self.bytes = bytes
        self.nestingLimit = nestingLimit
    }

    /// Follows the whole document.
    ///
    /// - Throws: `CocoaError` 3840 for bytes that are not UTF-8, an internal DTD subset, elements nested too deep and
    ///   broken markup.
    mutating func scan() throws {
        // XMLParser does not even look at less, and finds no error in it.
        guard bytes.count >= 4 else { throw broken("it is shorter than any XML document") }
        try checkCharacters()
        try scanProlog()
        try scanStartTag()
        while let next = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = next
            if consume("<!--") {
                try skip(past: "-->")
            } else if consume("<?") {
                try scanInstruction()
            } else if depth == 0 {
                throw broken("expected nothing behind the root element")
            } else if consume("<![CDATA[") {
                try skip(past: "]]>")
            } else if consume("</") {
                try scanEndTag()
            } else {
                try scanStartTag()
            }
        }
    }

    /// UTF-8 of nothing but XML's characters: others make the parser lose its place.
    private func checkCharacters() throws {
        guard (try? UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span)) != nil else {
            throw CocoaError.unreadable("The body is not text in its encoding")
        }
        for (index, byte) in bytes.enumerated() {
            if byte < 0x20 ? !isBlank(byte) : byte == 0xEF && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE {
                throw CocoaError.unreadable("The body is not XML at byte \(index): a character that XML does not have")
            }
        }
    }

    /// Everything before the root element's tag, at which it stops.
    private mutating func scanProlog() throws {
        var hasDocumentType = false
        while true {
            skipBlanks()
            if consume("<!--") {
                try skip(past: "-->")
            } else if consume("<?") {
                try scanInstruction()
            } else if !hasDocumentType, consume("<!DOCTYPE") {
                try scanDocumentType()
                hasDocumentType = true
            } else if byte(0) == UInt8(ascii: "<"), isNameStart(byte(1)) {
                return
            } else {
                throw broken("expected a root element")
            }
        }
    }

    /// Name, external identifier, end: no internal subset, which is where entities are declared.
    private mutating func scanDocumentType() throws {
        skipBlanks()
        guard isNameStart(byte(0)) else { throw broken("expected a name after <!DOCTYPE") }
        while let byte = byte(0), !isBlank(byte), byte != UInt8(ascii: ">"), byte != UInt8(ascii: "[") { position += 1 }
        skipBlanks()
        if consume("SYSTEM") {
            try skipLiteral()
        } else if consume("PUBLIC") {
            try skipLiteral()
            try skipLiteral()
        }
        skipBlanks()
        if byte(0) == UInt8(ascii: "[") {
            throw CocoaError.unreadable(
                "The XML document declares entities or other types of its own (an internal DTD subset), which is refused"
            )
        }
        guard consume(">") else { throw broken("expected the end of <!DOCTYPE") }
    }

    private mutating func skipLiteral() throws {
        skipBlanks()
        guard let quote = byte(0), isQuote(quote) else { throw broken("expected a quoted identifier") }
        position += 1
        guard let end = bytes[position...].firstIndex(of: quote) else { throw broken("a quote is not closed") }
        position = end + 1
    }

    /// Its target must be an ASCII name: at another the parser stops and looks for markup inside.
    private mutating func scanInstruction() throws {
        guard let first = byte(0), first < 0x80, isNameStart(first) else { throw broken("expected a name after <?") }
        while let byte = byte(0), isNameStart(byte) && byte < 0x80 || 0x2D...0x2E ~= byte || 0x30...0x39 ~= byte {
            position += 1
        }
        let hasData = byte(0).map(isBlank) ?? false
        guard hasData || byte(0) == UInt8(ascii: "?") && byte(1) == UInt8(ascii: ">") else {
            throw broken("expected a blank after the name of a processing instruction")
        }
        try skip(past: "?>")
        if !hasData { bareInstructionEnds.append(position - 2) }
    }

    private mutating func scanEndTag() throws {
        guard isNameStart(byte(0)) else { throw broken("expected a name after </") }
        while let byte = byte(0), !isBlank(byte), byte != UInt8(ascii: ">") {
            guard byte != UInt8(ascii: "<") else { throw broken("a tag holds a <") }
            position += 1
        }
        skipBlanks()
        guard consume(">") else { throw broken("a tag is not closed") }
        depth -= 1
        declarationCount -= declarations.popLast() ?? 0
    }

    /// Attributes of one element, and namespaces declared by it and those around it. The parser compares each with all
    /// others.
    private static let maximumAttributes = 256

    private mutating func scanStartTag() throws {
        position += 1
        guard isNameStart(byte(0)) else { throw broken("expected a tag after <") }
        var quote: UInt8?
        var (attributes, ownDeclarations) = (0, 0)
        // Where what is outside of quotes began, and the present name in it.
        var (start, name) = (position, position)
        while let byte = byte(0) {
            position += 1
            if byte == UInt8(ascii: "<") { throw broken("a tag holds a <") }
            if let open = quote {
                guard byte == open else { continue }
                quote = nil
                (start, name) = (position, position)
            } else if isBlank(byte) {
                if self.byte(0).map({ !isBlank($0) && $0 != UInt8(ascii: "=") }) ?? false { name = position }
            } else if byte == UInt8(ascii: "=") {
                attributes += 1
                if bytes[name..<position].starts(with: "xmlns".utf8) { ownDeclarations += 1 }
            } else if isQuote(byte) {
                quote = byte
                try checkNames(bytes[start..<position])
            } else if byte == UInt8(ascii: ">") {
                try checkNames(bytes[start..<position])
                return try endStartTag(attributes: attributes, declarations: ownDeclarations)
            }
        }
        throw broken("a tag is not closed")
    }

    /// Behind the ">" of a tag that opens an element, or of an element without content.
    private mutating func endStartTag(attributes: Int, declarations own: Int) throws {
        guard attributes <= Self.maximumAttributes else {
            throw CocoaError.unreadable(
                "The XML document has an element with more than \(Self.maximumAttributes) attributes")
        }
        guard declarationCount + own <= Self.maximumAttributes else {
            throw CocoaError.unreadable(
                "The XML document declares more than \(Self.maximumAttributes) namespaces at a time")
        }
        if bytes[position - 2] == UInt8(ascii: "/") { return }
        declarations.append(own)
        declarationCount += own
        depth += 1
        guard depth <= nestingLimit else {
            throw CocoaError.unreadable("The XML document is nested deeper than \(nestingLimit) levels")
        }
    }

    /// Names become keys of dictionaries.
    private func checkNames(_ names: Slice<UnsafeRawBufferPointer>) throws {
        guard TextRuns.isTooLong(UnsafeRawBufferPointer(rebasing: names)) else { return }
        throw CocoaError.unreadable("The XML document has a name with very many combining marks in a row")
    }

    // MARK: - Bytes

    private func byte(_ offset: Int) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private mutating func consume(_ token: StaticString) -> Bool {
        let count = token.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for index in 0..<count where bytes[position + index] != token.utf8Start[index] { return false }
        position += count
        return true
    }

    private mutating func skip(past token: StaticString) throws {
        let first = token.utf8Start[0]
        while let next = bytes[position...].firstIndex(of: first) {
            position = next
            if consume(token) { return }
            position += 1
        }
        throw broken("expected \(token)")
    }

    private mutating func skipBlanks() {
        while let byte = byte(0), isBlank(byte) { position += 1 }
    }

    private func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    private func isNameStart(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
            || byte >= 0x80
    }

    private func broken(_ reason: String) -> CocoaError {
        .unreadable("The body is not XML at byte \(position): \(reason)")
    }
}
