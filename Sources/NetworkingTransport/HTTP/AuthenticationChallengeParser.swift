// SPDX-License-Identifier: MIT

/// Reads a value of `WWW-Authenticate` in one pass: challenges and their parameters are both separated by commas, and a
/// token without "=" after it begins a challenge.
///
/// Servers write much that breaks the grammar. What can be made out is taken: values without quotes up to the next
/// comma, parameters without a comma between. A malformed parameter is left out, but not its challenge, which may do
/// without it.
struct AuthenticationChallengeParser {
    private let bytes: [UInt8]
    private var position = 0
    /// True once it is known that no quote from here on is closed, so that this is looked for once.
    private var hasOpenQuote = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func challenges(limit: Int) -> [AuthenticationChallenge] {
        var result: [AuthenticationChallenge] = []
        while true {
            skip { Self.isBlank($0) || $0 == UInt8(ascii: ",") }
            guard position < bytes.count else { break }
            let token = take(while: \.isTokenCharacter)
            guard !token.isEmpty, isAtSeparator || present.map(Self.isBlank) ?? true || present == UInt8(ascii: "=")
            else {
                skipToComma()
                continue
            }
            skip(Self.isBlank)
            if present == UInt8(ascii: "=") {
                position += 1
                // Before the first challenge it has no owner.
                guard let value = parameterValue(), !result.isEmpty else { continue }
                result[result.count - 1].parameters.append(.init(name: Self.lowercased(token), value: value))
            } else {
                guard result.count < limit else { break }
                result.append(AuthenticationChallenge(scheme: Self.lowercased(token), token68: token68()))
            }
        }
        return result
    }

    private var present: UInt8? { position < bytes.count ? bytes[position] : nil }
    private var isAtSeparator: Bool { present == nil || present == UInt8(ascii: ",") }

    /// Takes what stands after a scheme's name. Nil: that is a parameter, and the position stays.
    private mutating func token68() -> [UInt8]? {
        let start = position
        var value = take(while: Self.isToken68Character)
        guard !value.isEmpty else { return nil }
        value += take { $0 == UInt8(ascii: "=") }
        skip(Self.isBlank)
        if isAtSeparator { return value }
        position = start
        return nil
    }

    /// Takes what stands after "=", up to the next parameter or challenge. Nil: nothing that is text.
    private mutating func parameterValue() -> [UInt8]? {
        skip(Self.isBlank)
        let start = position
        guard present == UInt8(ascii: "\""), let value = quotedString() else {
            position = start
            return unquotedText()
        }
        let end = position
        skip(Self.isBlank)
        // What follows white space may be a parameter, after a comma that was forgotten.
        if !isAtSeparator, position == end { skipToComma() }
        return value.allSatisfy(Self.isText) ? value : nil
    }

    /// Takes the text before the next comma, without the white space around it and without line folds.
    private mutating func unquotedText() -> [UInt8]? {
        let text = take { $0 != UInt8(ascii: ",") }.filter { $0 != 0x0D && $0 != 0x0A }.trimmingBlanks
        return !text.isEmpty && text.allSatisfy(Self.isText) ? Array(text) : nil
    }

    /// A quoted string without quotes and escapes. Line folds become the white space that follows them. Nil: no end.
    private mutating func quotedString() -> [UInt8]? {
        guard !hasOpenQuote else { return nil }
        position += 1
        var value: [UInt8] = []
        while let byte = present {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return value
            case UInt8(ascii: "\\"):
                guard let escaped = present else { break }
                position += 1
                value.append(escaped)
            case 0x0D, 0x0A:
                continue
            default:
                value.append(byte)
            }
        }
        hasOpenQuote = true
        return nil
    }

    /// Goes on to the next comma that is in no quoted string.
    private mutating func skipToComma() {
        while let byte = present, byte != UInt8(ascii: ",") {
            let start = position
            if byte != UInt8(ascii: "\"") || quotedString() == nil { position = start + 1 }
        }
    }

    private mutating func skip(_ isWanted: (UInt8) -> Bool) {
        while let byte = present, isWanted(byte) { position += 1 }
    }

    private mutating func take(while isWanted: (UInt8) -> Bool) -> [UInt8] {
        let start = position
        skip(isWanted)
        return Array(bytes[start..<position])
    }

    private static func lowercased(_ token: [UInt8]) -> String {
        String(decoding: token.map(\.lowercasedASCII), as: UTF8.self)
    }

    /// White space, with the ends of folded lines.
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

    private static func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

    private static func isToken68Character(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E: true
        default: false
        }
    }
}
