// SPDX-License-Identifier: MIT

/// A field's value with parameters behind it, as in `attachment; filename="a b"` (RFC 9110, section 5.6.6).
///
/// Reads what servers write: names in any case, blanks around ";" and "=", empty parameters, and a quoted string that
/// does not end. Of parameters with one name the first counts. Takes linear time.
package struct ParameterizedValue: Sendable, Equatable {
    package struct Parameter: Sendable, Equatable {
        /// In lower case; a token.
        package let name: String
        /// Without quotes and escapes.
        package let value: [UInt8]
    }

    /// The text before the first ";", without blanks around it.
    package let value: [UInt8]
    package let parameters: [Parameter]

    /// Parameters beyond that many do not count.
    private static let limit = 32

    package init(_ bytes: some Sequence<UInt8>) {
        var scanner = Scanner(bytes: Array(bytes))
        value = Array(scanner.take { $0 == UInt8(ascii: ";") }.trimmingSpace)
        var parameters: [Parameter] = []
        while parameters.count < Self.limit, let (name, value) = scanner.parameter() {
            guard let value, !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else { continue }
            let lowercased = String(decoding: name.map(\.lowercasedASCII), as: UTF8.self)
            if !parameters.contains(where: { $0.name.isFieldName(lowercased) }) {
                parameters.append(Parameter(name: lowercased, value: value))
            }
        }
        self.parameters = parameters
    }

    /// The value of the parameter with this name, which is in lower case; nil: no such parameter.
    package subscript(name: StaticString) -> [UInt8]? {
        parameters.first { $0.name.utf8.equalsIgnoringCase(name) }?.value
    }

    /// The members of a list, separated by commas that are in no quoted string (RFC 9110, section 5.6.1).
    package static func members(of bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var scanner = Scanner(bytes: Array(bytes))
        var members: [[UInt8]] = []
        while !scanner.isAtEnd {
            let member = scanner.member().trimmingSpace
            if !member.isEmpty { members.append(Array(member)) }
        }
        return members
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { position >= bytes.count }

        /// Everything up to a byte that ends it, or the end.
        mutating func take(until ends: (UInt8) -> Bool) -> ArraySlice<UInt8> {
            let start = position
            while position < bytes.count, !ends(bytes[position]) { position += 1 }
            return bytes[start..<position]
        }

        /// Reads the next parameter, at the ";" before it. Its value is nil when only the name is there.
        mutating func parameter() -> (name: ArraySlice<UInt8>, value: [UInt8]?)? {
            guard !isAtEnd else { return nil }
            position += 1
            let name = take { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") }.trimmingSpace
            guard !isAtEnd, bytes[position] == UInt8(ascii: "=") else { return (name, nil) }
            position += 1
            while !isAtEnd, bytes[position].isSpaceOfFields { position += 1 }
            guard !isAtEnd, bytes[position] == UInt8(ascii: "\"") else {
                let value = take { $0 == UInt8(ascii: ";") }.trimmingSpace
                return (name, value.isEmpty ? nil : Array(value))
            }
            let value = quotedString()
            // What stands between the string and the next parameter belongs to neither.
            _ = take { $0 == UInt8(ascii: ";") }
            return (name, value)
        }

        /// Reads a quoted string and returns its text, without the ends of folded lines.
        private mutating func quotedString() -> [UInt8] {
            position += 1
            var value: [UInt8] = []
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return value
                case UInt8(ascii: "\\") where position < bytes.count:
                    value.append(bytes[position])
                    position += 1
                case 0x0D, 0x0A: continue
                default: value.append(byte)
                }
            }
            return value
        }

        /// Everything up to the next comma that is in no quoted string.
        mutating func member() -> ArraySlice<UInt8> {
            let start = position
            while position < bytes.count, bytes[position] != UInt8(ascii: ",") {
                if bytes[position] == UInt8(ascii: "\"") { _ = quotedString() } else { position += 1 }
            }
            let end = min(position, bytes.count)
            position = end + 1
            return bytes[start..<end]
        }
    }
}

extension UInt8 {
    /// White space, with the ends of folded lines.
    fileprivate var isSpaceOfFields: Bool { isBlank || self == 0x0D || self == 0x0A }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmingSpace: ArraySlice<UInt8> {
        let start = drop(while: \.isSpaceOfFields)
        guard let last = start.lastIndex(where: { !$0.isSpaceOfFields }) else { return start }
        return start[...last]
    }
}
