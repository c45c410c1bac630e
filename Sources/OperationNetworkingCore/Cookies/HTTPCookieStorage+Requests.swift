// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// The way of cookies between a storage and requests. Foundation keeps the cookies, except those that it has no place
/// for (see `HiddenCookies`). The rules are this library's.
extension HTTPCookieStorage {
    /// Bytes of a `Cookie` field: servers refuse fields of more than 8 KiB, and with them the request.
    static let maximumFieldLength = 8190

    /// The `Cookie` field for a URL; nil: none.
    func cookieField(for url: URL) -> HeaderField? {
        let stored = allCookies
        guard !stored.isEmpty, let location = CookieLocation(url) else { return nil }
        let now = Date()
        let sent = stored.filter { $0.isSent(to: location, at: now) }.sorted(by: Self.isSentBefore)
        var field: [UInt8] = []
        for cookie in sent {
            guard let pair = cookie.pair else { continue }
            let length = field.count + (field.isEmpty ? 0 : 2) + pair.count
            guard length <= Self.maximumFieldLength else { continue }
            if !field.isEmpty { field += "; ".utf8 }
            field += pair
            (cookie as? ReceivedCookie)?.noteUse(at: now)
        }
        return field.isEmpty ? nil : HeaderField("Cookie", octets: field)
    }

    /// Longer paths first, then what was made earlier.
    private static func isSentBefore(_ left: HTTPCookie, _ right: HTTPCookie) -> Bool {
        let (leftLength, rightLength) = (left.path.utf8.count, right.path.utf8.count)
        guard leftLength == rightLength else { return leftLength > rightLength }
        return CookieCreation(of: left) < CookieCreation(of: right)
    }

    /// The number of changes, which are made by one thread at a time, because they depend on what is there.
    private static let changes = Locked(0)

    /// Changes the cookies by the rules. Not on the network thread: Foundation writes a file.
    ///
    /// A lock is held meanwhile. Foundation's storage calls no other code: it cannot have subclasses.
    func change(_ body: (inout CookieJar) -> Void) {
        Self.changes.withLock { changes in
            changes &+= 1
            let (shown, hidden) = knownCookies
            var jar = CookieJar(shown, hidden: hidden)
            body(&jar)
            jar.enforceLimits()
            guard let placement = jar.placement else { return }
            // A reader meanwhile finds cookies that change places in both.
            HiddenCookies.set(placement.hidden + hidden, of: self)
            for cookie in placement.removed { deleteCookie(cookie) }
            for cookie in placement.stored { setCookie(cookie) }
            HiddenCookies.set(placement.hidden, of: self)
        }
    }
}
