// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import Synchronization

/// A cookie that a server set, or one from a `CookieFile`: with what Foundation's has no place for.
// Sendable because nothing in it changes but an atomic.
final class ReceivedCookie: HTTPCookie, @unchecked Sendable {
    /// The checked values that the cookie is made of.
    struct Content {
        var name: String
        var value: String
        /// True if each character of `value` is an octet, because the value came in octets that are not UTF-8.
        var isLatin1 = false
        /// With a dot before it for a cookie of all hosts below; without: host-only, as Foundation has it.
        var domain: String
        var path: String
        var isSecure = false
        var isHTTPOnly = false
        var sameSite: HTTPCookieStringPolicy?
        /// Nil: until the program ends.
        var expires: Date?
        var creation: CookieCreation
    }

    let sameSite: HTTPCookieStringPolicy?
    /// See `Content.isLatin1`.
    let isLatin1: Bool
    let creation: CookieCreation
    /// Seconds since 2001 as bits; of the latest request that the cookie was sent with.
    private let latestUse: Atomic<UInt64>

    init?(_ content: Content) {
        sameSite = content.sameSite
        isLatin1 = content.isLatin1
        creation = content.creation
        latestUse = Atomic(content.creation.date.timeIntervalSinceReferenceDate.bitPattern)
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: content.name, .value: content.value, .domain: content.domain, .path: content.path,
            // A cookie that is to be discarded stays out of the file that Foundation writes and all users may read.
            .discard: "TRUE",
        ]
        if content.isSecure { properties[.secure] = "TRUE" }
        if content.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        if let expires = content.expires { properties[.expires] = expires }
        super.init(properties: properties)
    }

    /// Returns true if a server set the same cookie once more, to expire at the same time. The times may differ by a
    /// thousandth of the time that is left, a minute at most.
    func isMade(of content: Content, at date: Date) -> Bool {
        guard value.hasOctets(of: content.value), domain.hasOctets(of: content.domain),
            isSecure == content.isSecure, isHTTPOnly == content.isHTTPOnly, sameSite == content.sameSite,
            isLatin1 == content.isLatin1
        else { return false }
        guard let expiresDate, let expires = content.expires else { return expiresDate == content.expires }
        let tolerance = min(60, expiresDate.timeIntervalSince(date) / 1000)
        return abs(expires.timeIntervalSince(expiresDate)) <= tolerance
    }

    var useDate: Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: latestUse.load(ordering: .relaxed)))
    }

    func noteUse(at date: Date) {
        latestUse.store(date.timeIntervalSinceReferenceDate.bitPattern, ordering: .relaxed)
    }
}

/// The date when a cookie was made, and its place among others of that date. An update does not change it.
struct CookieCreation: Comparable {
    let date: Date
    /// 0 for cookies that the library did not make.
    let number: UInt64

    private static let numbers = Atomic<UInt64>(1)

    /// - Parameter date: now, or when the cookie was made first.
    init(at date: Date) {
        self.date = date
        number = Self.numbers.wrappingAdd(1, ordering: .relaxed).oldValue
    }

    /// Of any cookie.
    init(of cookie: HTTPCookie) {
        if let own = (cookie as? ReceivedCookie)?.creation {
            self = own
        } else {
            let seconds = cookie.properties?[HTTPCookiePropertyKey("Created")] as? Double
            date = Date(timeIntervalSinceReferenceDate: seconds ?? 0)
            number = 0
        }
    }

    static func < (left: CookieCreation, right: CookieCreation) -> Bool {
        (left.date, left.number) < (right.date, right.number)
    }
}
