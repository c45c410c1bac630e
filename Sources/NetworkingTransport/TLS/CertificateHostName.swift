// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// The name a server is reached by, in the form certificates are compared with.
package enum CertificateHostName: Sendable, Hashable {
    /// A domain name of A-labels, in lower case, without the final dot.
    case domain(String)
    /// An IPv4 or IPv6 address without brackets and zone.
    case address(String)

    /// nil: no certificate can be for this.
    package init?(_ host: String) {
        // Far more than any name has: what follows looks at characters.
        guard host.utf8.count <= 2048 else { return nil }
        var name = host
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if let zone = name.firstIndex(of: "%") {  // checked: bounded
            let address = String(name[..<zone])
            guard Self.isAddress(address, AF_INET6) else { return nil }
            name = address
        }
        if Self.isAddress(name) {
            self = .address(name)
            return
        }
        if !name.utf8.allSatisfy({ $0 < 0x80 }) {
            var components = URLComponents()
            components.host = name
            guard let encoded = components.encodedHost else { return nil }
            name = encoded
        }
        if name.hasSuffix(".") { name.removeLast() }
        name = name.lowercased()  // checked: bounded
        guard name.utf8.count <= 253, !name.isEmpty else { return nil }
        // To OpenSSL the empty name means "do not compare" and one with a leading dot "any host below": neither may get
        // that far.
        for label in name.split(separator: ".", omittingEmptySubsequences: false) {  // checked: bounded
            guard !label.isEmpty, label.utf8.count <= 63 else { return nil }
            for byte in label.utf8 {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"):
                    continue
                default: return nil
                }
            }
        }
        self = .domain(name)
    }

    /// Returns true if a text is an IP address in its usual notation, without brackets.
    static func isAddress(_ text: String) -> Bool { isAddress(text, AF_INET) || isAddress(text, AF_INET6) }

    private static func isAddress(_ text: String, _ family: Int32) -> Bool {
        var address = in6_addr()
        return inet_pton(family, text, &address) == 1
    }
}
