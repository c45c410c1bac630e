// SPDX-License-Identifier: MIT

/// Reads a value of `WWW-Authenticate` in one pass: challenges and their parameters are both separated by commas, and a
/// token without "=" after it begins a challenge.
struct AuthenticationChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func challenges(limit: Int) -> [AuthenticationChallenge] {
        var result: [AuthenticationChallenge] = []
        // Nil before the first, and after something malformed: what follows up to the next challenge has no owner.
        var current: AuthenticationChallenge?
        func isFull() -> Bool { result.count + (current == nil ? 0 : 1) >= limit }
        while true {
            skip { Self.isBlank($0) || $0 == UInt8(ascii: ",") }
            guard position < bytes.count else { break }
            let token = take(while: \.isTokenCharacter)
            guard !token.isEmpty else {
                current = nil
                skipToComma()
                continue
            }
            skip(Self.isBlank)
            if present == UInt8(ascii: "=") {
                position += 1
                guard let value = parameterValue() else {
                    current = nil
                    skipToComma()
                    continue
                }
                current?.parameters.append(.init(name: Self.lowercased(token), value: value))
            } else {
                guard !isFull() else { break }
                if let current { result.append(current) }
                current = AuthenticationChallenge(scheme: Self.lowercased(token), token68: token68())
            }
        }
        if let current { result.append(current) }
        return result
    }

    private var present: UInt8? { position < bytes.count ? bytes[position] : nil }
    private var isAtSeparator: Bool { present == nil || present == UInt8(ascii: ",") }

    /// What stands after a scheme's name, if it is not a parameter. Stays where it is otherwise.
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

    /// What stands after "=". Nil: nothing that is well-formed.
    private mutating func parameterValue() -> [UInt8]? {
        skip(Self.isBlank)
        let value: [UInt8]?
        if present == UInt8(ascii: "\"") {
            value = quotedString()
        } else {
            let token = take(while: \.isTokenCharacter)
            value = token.isEmpty ? nil : token
        }
        skip(Self.isBlank)
        return isAtSeparator ? value : nil
    }

    /// A quoted string without quotes and escapes. Line folds become the white space that follows them. Nil: it has no
    /// end, or holds control characters.
    private mutating func quotedString() -> [UInt8]? {
        position += 1
        var value: [UInt8] = []
        var isClean = true
        while let byte = present {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return isClean ? value : nil
            case UInt8(ascii: "\\"):
                guard let escaped = present else { return nil }
                position += 1
                isClean = isClean && Self.isText(escaped)
                value.append(escaped)
            case 0x0D, 0x0A:
                continue
            default:
                isClean = isClean && Self.isText(byte)
                value.append(byte)
            }
        }
        return nil
    }

    /// Goes on to the next comma that is in no quoted string.
    private mutating func skipToComma() {
        while let byte = present, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") {
                _ = quotedString()
            } else {
                position += 1
            }
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
