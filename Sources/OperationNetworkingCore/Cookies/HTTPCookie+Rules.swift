// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The rules for sending cookies (RFC 6265bis, section 5.8), for whatever a storage holds.
extension HTTPCookie {
    /// Without the dot that Foundation has before the domain of a cookie that is not host-only.
    var bareDomain: Substring.UTF8View {
        let bytes = domain[...].utf8
        return bytes.first == UInt8(ascii: ".") ? bytes.dropFirst() : bytes
    }

    var isHostOnly: Bool { domain.utf8.first != UInt8(ascii: ".") }

    func isExpired(at date: Date) -> Bool { expiresDate.map { $0 <= date } ?? false }

    /// The date when the cookie was sent last, or made.
    var lastUse: Date { (self as? ReceivedCookie)?.useDate ?? CookieCreation(of: self).date }

    /// Returns true if the cookie goes with a request to `location`.
    func isSent(to location: CookieLocation, at date: Date) -> Bool {
        guard location.isSecure || !isSecure, !isExpired(at: date) else { return false }
        let bare = bareDomain
        if !bare.elementsEqual(location.host) {
            // A storage may hold cookies that were not checked when they came.
            guard !isHostOnly, CookieDomain.matches(location.host, isAddress: location.isAddress, bare),
                !CookieDomain.isPublicSuffix(bare)
            else { return false }
        }
        return CookieDomain.path(location.path, matches: path.isEmpty ? "/".utf8 : path.utf8)
    }

    /// Name and value as they are sent; nil when they cannot be: they hold a control character, or end early.
    var pair: [UInt8]? {
        let isLatin1 = (self as? ReceivedCookie)?.isLatin1 ?? false
        let pair =
            (name.isEmpty ? [] : Array(name.utf8) + [UInt8(ascii: "=")]) + (isLatin1 ? value.latin1 : Array(value.utf8))
        let isFine = pair.allSatisfy { !CookieBytes.isControl($0) && $0 != UInt8(ascii: ";") }
        return isFine && !pair.isEmpty ? pair : nil
    }
}
