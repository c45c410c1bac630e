// SPDX-License-Identifier: MIT
internal import NetworkingTransport

/// `Content-Range` (RFC 9110, section 14.4) in the unit of bytes.
struct ContentRange: Equatable {
    /// Nil in the answer to a range that cannot be satisfied.
    var first: Int64?
    var last: Int64?
    /// Nil when the server does not know it.
    var total: Int64?

    /// Nil also where the field is there twice with different values.
    init?(head: ResponseHead) {
        guard let value = head.firstBytes(for: .contentRange, limit: Self.maximumLength) else { return nil }
        var isUnambiguous = true
        head.forEachValue(of: .contentRange) { isUnambiguous = isUnambiguous && $0.elementsEqual(value) }
        guard isUnambiguous else { return nil }
        self.init(value)
    }

    /// A value as it came: what a server sends is taken apart as bytes.
    init?(_ value: [UInt8]) {
        guard value.count <= Self.maximumLength, let blank = value.firstIndex(where: \.isBlank),
            value[..<blank].equalsIgnoringCase("bytes"), let slash = value.firstIndex(of: UInt8(ascii: "/")),
            slash > blank
        else { return nil }
        let (range, length) = (value[blank..<slash].trimmingBlanks, value[(slash + 1)...].trimmingBlanks)
        if !length.elementsEqual("*".utf8) {
            guard let total = length.decimalNumber else { return nil }
            self.total = total
        }
        guard !range.elementsEqual("*".utf8) else { return }
        guard let dash = range.firstIndex(of: UInt8(ascii: "-")),
            let first = range[..<dash].trimmingBlanks.decimalNumber,
            let last = range[(dash + 1)...].trimmingBlanks.decimalNumber, last >= first
        else { return nil }
        if let total, last >= total { return nil }
        self.first = first
        self.last = last
    }

    private static let maximumLength = 256
}
