// SPDX-License-Identifier: MIT

/// The percent-encoding of URLs that come from elsewhere (RFC 3986, section 2).
///
/// What is escaped stays as it is, byte for byte; what may not stand where it does is escaped. Foundation does so, too,
/// but then escapes each `%` of that part of the URL again: of `?u=%2F&a[b]` it makes `?u=%252F&a%5Bb%5D`. So it never
/// gets what it would have to escape.
package enum URLEscaping {
    /// A part of a URL, which has characters of its own.
    package enum Part {
        case userInfo, path, query, fragment

        fileprivate var allowed: URLCharacters {
            switch self {
            case .userInfo: .userInfo
            case .path: .path
            case .query, .fragment: .query
            }
        }
    }

    /// A URL or a reference to one as Foundation takes it without a change, if it is one.
    package static func escaped(_ text: String) -> String {
        var text = text
        let output = text.withUTF8 { bytes in needsChange(bytes) ? escaped(bytes[...]) : nil }
        return output.map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// The same for octets of whatever charset, as in a header field; nil: the host is not UTF-8, so that this is no
    /// URL.
    package static func escaped(octets: [UInt8]) -> String? {
        octets.withUnsafeBufferPointer { bytes in
            String(validating: needsChange(bytes) ? escaped(bytes[...]) : octets, as: UTF8.self)
        }
    }

    /// Appends a part of a URL.
    package static func append(_ bytes: some Collection<UInt8>, _ part: Part, to output: inout [UInt8]) {
        let allowed = part.allowed
        var rest = bytes[...]
        while let byte = rest.first {
            var count = 1
            if byte == percent, octet(rest) != nil {
                count = 3
                output += rest.prefix(3)
            } else if allowed.contains(byte) {
                output.append(byte)
            } else {
                appendEscape(byte, to: &output)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Appends `%` and two digits.
    package static func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(percent)
        output.append(hexDigit(byte >> 4))
        output.append(hexDigit(byte & 15))
    }

    /// The octets of escaped text. What is no escape stays.
    package static func decoded(_ text: some Collection<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.first {
            if byte == percent, let octet = octet(rest) {
                output.append(octet)
                rest = rest.dropFirst(3)
            } else {
                output.append(byte)
                rest = rest.dropFirst()
            }
        }
        return output
    }

    /// A path in the form in which equal ones have equal bytes (RFC 3986, section 6.2.2): digits of escapes in upper
    /// case, no escapes of what needs none, and "/" where there is nothing. `%2F` is not "/".
    package static func normalizedPath(_ path: String) -> [UInt8] {
        guard !path.utf8.isEmpty else { return [UInt8(ascii: "/")] }
        var output: [UInt8] = []
        var rest = Substring(path).utf8
        while let byte = rest.first {
            if byte == percent, let octet = octet(rest) {
                if URLCharacters.unreserved.contains(octet) {
                    output.append(octet)
                } else {
                    appendEscape(octet, to: &output)
                }
                rest = rest.dropFirst(3)
            } else {
                output.append(byte)
                rest = rest.dropFirst()
            }
        }
        return output
    }

    /// The octet that the escape at the beginning stands for; nil: no escape is there.
    private static func octet(_ text: some Collection<UInt8>) -> UInt8? {
        let digits = text.dropFirst().prefix(2)
        guard digits.count == 2, digits.allSatisfy(isHexDigit) else { return nil }
        return digits.reduce(0) { $0 << 4 | ($1.isDigit ? $1 & 0x0F : ($1 & 0x0F) + 9) }
    }

    // MARK: Parts

    /// True if something has to be looked at more closely. Most URLs have nothing.
    private static func needsChange(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var fragments = 0
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "#") {
                fragments += 1
                if fragments > 1 { return true }
            } else if byte == percent {
                guard index + 2 < bytes.count, isHexDigit(bytes[index + 1]), isHexDigit(bytes[index + 2]) else {
                    return true
                }
            } else if !URLCharacters.query.contains(byte) {
                return true
            }
        }
        return bytes.count(where: { $0 == UInt8(ascii: "@") }) > 1
    }

    private static func escaped(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 16)
        var rest = bytes[...]
        if let colon = endOfScheme(rest) {
            output += rest[...colon]
            rest = rest[(colon + 1)...]
        }
        if rest.starts(with: "//".utf8) {
            output += rest.prefix(2)
            rest = rest.dropFirst(2)
            let authority = rest.prefix {
                $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
            appendAuthority(authority, to: &output)
            rest = rest[authority.endIndex...]
        }
        let path = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        append(path, .path, to: &output)
        rest = rest[path.endIndex...]
        if rest.first == UInt8(ascii: "?") {
            let query = rest.dropFirst().prefix { $0 != UInt8(ascii: "#") }
            output.append(UInt8(ascii: "?"))
            append(query, .query, to: &output)
            rest = rest[query.endIndex...]
        }
        if rest.first == UInt8(ascii: "#") {
            output.append(UInt8(ascii: "#"))
            append(rest.dropFirst(), .fragment, to: &output)
        }
        return output
    }

    /// The index of the colon after a scheme; nil: there is no scheme.
    package static func endOfScheme<Text: Collection<UInt8>>(_ text: Text) -> Text.Index? {
        guard let first = text.first, 0x61...0x7A ~= first.lowercasedASCII,
            let end = text.firstIndex(where: { !URLCharacters.scheme.contains($0) }), text[end] == UInt8(ascii: ":")
        else { return nil }
        return end
    }

    /// The host stays: Foundation makes the ASCII form of a name in another script (RFC 5891), and takes nothing else.
    private static func appendAuthority(
        _ authority: Slice<UnsafeBufferPointer<UInt8>>, to output: inout [UInt8]
    ) {
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else {
            output += authority
            return
        }
        append(authority[..<at], .userInfo, to: &output)
        output += authority[at...]
    }

    // MARK: Characters

    private static let percent = UInt8(ascii: "%")

    private static func isHexDigit(_ byte: UInt8) -> Bool { byte.isDigit || 0x61...0x66 ~= byte | 0x20 }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
}

/// Characters of ASCII, a bit for each: asked of every byte of every URL.
private struct URLCharacters {
    private var bits: (UInt64, UInt64) = (0, 0)

    static let scheme = URLCharacters("+-.")
    /// The characters that are the same with and without an escape (section 2.3).
    static let unreserved = URLCharacters("-._~")
    static let userInfo = URLCharacters("-._~!$&'()*+,;=:")
    static let path = URLCharacters("-._~!$&'()*+,;=:@/")
    /// The characters of queries and of fragments.
    static let query = URLCharacters("-._~!$&'()*+,;=:@/?")

    /// Letters, digits, and `others`.
    private init(_ others: StaticString) {
        for byte in UInt8(0)..<0x80 where byte.isDigit || 0x61...0x7A ~= byte | 0x20 && byte >= 0x41 { insert(byte) }
        for index in 0..<others.utf8CodeUnitCount { insert(others.utf8Start[index]) }
    }

    private mutating func insert(_ byte: UInt8) {
        if byte < 0x40 { bits.0 |= 1 << UInt64(byte) } else { bits.1 |= 1 << UInt64(byte & 0x3F) }
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 0x80 && (byte < 0x40 ? bits.0 : bits.1) >> UInt64(byte & 0x3F) & 1 == 1
    }
}
