// SPDX-License-Identifier: MIT
internal import NetworkingTransport

/// The value of a `Set-Cookie` field, read as RFC 6265bis says (section 5.6): in bytes, and with nothing refused that
/// can be ignored.
struct SetCookieField: Equatable {
    /// Bytes of name and value together, and of an attribute's value.
    static let (maximumPairLength, maximumAttributeLength) = (4096, 1024)

    private(set) var name: [UInt8] = []
    private(set) var value: [UInt8] = []
    /// Seconds since 1970, as `Expires` says.
    private(set) var expires: Int64?
    /// Seconds, as `Max-Age` says, which counts before `Expires`. Saturated.
    private(set) var maximumAge: Int64?
    /// In lower case, without a dot at its beginning. Empty: none, or an attribute without a value.
    private(set) var domain: [UInt8] = []
    /// Nil: none. Not necessarily one that begins with "/".
    private(set) var path: [UInt8]?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: HTTPCookieStringPolicy?

    /// Nil when the field has to be ignored: control characters, no name and no value, or both too long.
    init?(_ field: some Sequence<UInt8>) {
        let field = Array(field)
        guard !field.contains(where: CookieBytes.isControl) else { return nil }
        let parts = field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let pair = parts.first else { return nil }
        let (left, right) = Self.halves(pair)
        name = right == nil ? [] : Array(left)
        value = Array(right ?? left)
        guard !name.isEmpty || !value.isEmpty, name.count + value.count <= Self.maximumPairLength else { return nil }
        for part in parts.dropFirst() {
            let (name, value) = Self.halves(part)
            guard (value ?? []).count <= Self.maximumAttributeLength else { continue }
            take(attribute: name, value ?? [])
        }
    }

    /// Returns the parts before and after the first "=", without white space around. The second is nil if there is no
    /// "=".
    private static func halves(_ part: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return (part.trimmingBlanks, nil) }
        return (part[..<equals].trimmingBlanks, part[(equals + 1)...].trimmingBlanks)
    }

    /// The last attribute of a name counts.
    private mutating func take(attribute name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        if name.equalsIgnoringCase("expires") {
            expires = CookieDate.secondsSince1970(value) ?? expires
        } else if name.equalsIgnoringCase("max-age") {
            maximumAge = Self.deltaSeconds(value) ?? maximumAge
        } else if name.equalsIgnoringCase("domain") {
            domain = (value.first == UInt8(ascii: ".") ? value.dropFirst() : value).map(\.lowercasedASCII)
        } else if name.equalsIgnoringCase("path") {
            path = Array(value)
        } else if name.equalsIgnoringCase("secure") {
            isSecure = true
        } else if name.equalsIgnoringCase("httponly") {
            isHTTPOnly = true
        } else if name.equalsIgnoringCase("samesite") {
            sameSite = HTTPCookieStringPolicy(attribute: value)
        }
    }

    /// Nil: no number.
    private static func deltaSeconds(_ value: ArraySlice<UInt8>) -> Int64? {
        let isNegative = value.first == UInt8(ascii: "-")
        let digits = isNegative ? value.dropFirst() : value
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        return isNegative ? 0 : digits.decimalNumber ?? .max
    }
}
