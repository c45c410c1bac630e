// SPDX-License-Identifier: MIT
internal import NetworkingTransport

/// The rules for domains and paths of cookies (RFC 6265bis, sections 5.1.3 and 5.1.4).
enum CookieDomain {
    /// Bytes of a host name (RFC 1035).
    private static let maximumLength = 253

    /// Returns true if a host is a domain or a name below it. Both are in lower case.
    static func matches(
        _ host: some BidirectionalCollection<UInt8>, isAddress: Bool, _ domain: some BidirectionalCollection<UInt8>
    ) -> Bool {
        let (length, domainLength) = (host.count, domain.count)
        guard length > domainLength else { return length == domainLength && host.elementsEqual(domain) }
        guard !isAddress, domainLength > 0 else { return false }
        let start = host.index(host.endIndex, offsetBy: -domainLength)
        return host[start...].elementsEqual(domain) && host[host.index(before: start)] == UInt8(ascii: ".")
    }

    /// Returns true if the path of a request is that of a cookie, or below it.
    static func path(
        _ path: some BidirectionalCollection<UInt8>, matches cookiePath: some BidirectionalCollection<UInt8>
    ) -> Bool {
        guard path.starts(with: cookiePath) else { return false }
        guard cookiePath.last != UInt8(ascii: "/") else { return true }
        let next = path.dropFirst(cookiePath.count).first
        return next == nil || next == UInt8(ascii: "/")
    }

    /// Returns true if a name consists of labels of lower-case letters, digits, hyphens and underscores. A connection
    /// to any other name is made under another name, or not at all.
    static func isWellFormed(_ name: some Collection<UInt8>) -> Bool {
        guard !name.isEmpty, name.count <= maximumLength else { return false }
        var labelLength = 0
        for byte in name {
            switch byte {
            case UInt8(ascii: "."):
                guard labelLength > 0 else { return false }
                labelLength = 0
            case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"):
                labelLength += 1
                guard labelLength <= 63 else { return false }
            default:
                return false
            }
        }
        return labelLength > 0
    }

    /// Returns true if the last label is a number, so that the name is an IPv4 address in one of its notations.
    static func endsInNumber(_ name: [UInt8]) -> Bool {
        let label = name.suffix(from: (name.lastIndex(of: UInt8(ascii: ".")) ?? -1) + 1)
        guard let first = label.first, first.isDigit else { return false }
        if label.allSatisfy(\.isDigit) { return true }
        return label.hasPrefixIgnoringCase("0x")
            && label.dropFirst(2).allSatisfy { $0.isDigit || 0x61...0x66 ~= $0 }
    }

    /// - Parameter domain: A well-formed name.
    static func isPublicSuffix(_ domain: some Collection<UInt8>) -> Bool {
        PublicSuffixList.shared.isPublicSuffix(String(decoding: domain, as: UTF8.self))
    }
}
