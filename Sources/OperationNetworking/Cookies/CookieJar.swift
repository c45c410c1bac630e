// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The rules for storing cookies (RFC 6265bis, section 5.7), as a value: it begins with what a storage holds, takes what
/// a server sets, and ends with what has to change in the storage.
struct CookieJar {
    /// Cookies of one domain, and in all.
    static let (maximumPerDomain, maximumCount) = (50, 3000)
    /// Seconds that a cookie is kept at most: 400 days.
    static let maximumAge: Int64 = 400 * 86400
    /// Bytes of a name that is not ASCII. Foundation's table compares and hashes it as text, at a cost that grows with
    /// the square of its length.
    static let maximumTextNameLength = 256

    private let now: Date
    /// By the key of Foundation's own table.
    private var cookies: [String: HTTPCookie] = [:]
    /// What was there under each key that was written to.
    private var before: [String: HTTPCookie?] = [:]

    init(_ stored: [HTTPCookie], now: Date = Date()) {
        self.now = now
        for cookie in stored { cookies[Self.key(cookie)] = cookie }
    }

    /// What two cookies must not have in common: Foundation keeps one of them only.
    private static func key(_ cookie: HTTPCookie) -> String { cookie.domain + cookie.path + cookie.name }

    private static func key(_ content: ReceivedCookie.Content) -> String {
        content.domain + content.path + content.name
    }

    var all: [HTTPCookie] { Array(cookies.values) }

    /// Whether something is there under the name, domain and path.
    func contains(_ content: ReceivedCookie.Content) -> Bool { cookies[Self.key(content)] != nil }

    /// What has to be done to the storage, oldest first.
    var changes: (removed: [HTTPCookie], stored: [HTTPCookie]) {
        var (removed, stored): ([HTTPCookie], [HTTPCookie]) = ([], [])
        for (key, old) in before {
            if let cookie = cookies[key] {
                if cookie !== old { stored.append(cookie) }
            } else if let old {
                removed.append(old)
            }
        }
        return (removed, stored.sorted { CookieCreation(of: $0) < CookieCreation(of: $1) })
    }

    // MARK: Setting

    /// Takes what a `Set-Cookie` field says.
    ///
    /// - Parameter location: where the response came from.
    /// - Returns: whether the rules allow it.
    @discardableResult
    mutating func take(_ field: SetCookieField, from location: CookieLocation) -> Bool {
        guard let (domain, isHostOnly) = Self.domain(field.domain, of: location),
            location.isSecure || !field.isSecure,
            let name = Self.text(field.name), let value = Self.text(field.value),
            field.name.count <= Self.maximumTextNameLength || field.name.allSatisfy({ $0 < 0x80 })
        else { return false }
        let ownPath = field.path.flatMap { $0.first == UInt8(ascii: "/") ? $0 : nil }
        let path = ownPath ?? location.defaultPath
        // No request has another path.
        guard path.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
        let hasRootPath = ownPath == [UInt8(ascii: "/")]
        guard Self.keepsPromise(of: field, isHostOnly: isHostOnly, hasRootPath: hasRootPath),
            location.isSecure || !wouldHideSecureCookie(field.name, domain, path)
        else { return false }
        let text = String(decoding: domain, as: UTF8.self)
        return put(
            ReceivedCookie.Content(
                name: name, value: value, domain: isHostOnly ? text : "." + text,
                path: String(decoding: path, as: UTF8.self), isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly,
                sameSite: field.sameSite, expires: expiry(of: field), creation: CookieCreation(at: now)),
            isTrusted: location.isSecure)
    }

    /// Puts a checked cookie in its place, from which an expired one is removed.
    ///
    /// Domain, path and name can be joined to the same key in two ways. Of two such cookies the later one stays: else whoever
    /// can set one over http keeps the server's own away. But what came so does not take the place of a secure one.
    ///
    /// - Parameter isTrusted: nobody on the way may have written it.
    @discardableResult
    mutating func put(_ content: ReceivedCookie.Content, isTrusted: Bool) -> Bool {
        let key = Self.key(content)
        let isExpired = content.expires.map { $0 <= now } ?? false
        var old = cookies[key]
        var content = content
        if let other = old {
            if other.name.utf8.elementsEqual(content.name.utf8), other.path.utf8.elementsEqual(content.path.utf8) {
                content.creation = CookieCreation(of: other)
            } else {
                guard isTrusted || !other.isSecure else { return false }
                // Nothing of this name is there to be removed.
                guard !isExpired else { return true }
                old = nil
            }
        }
        if !isExpired, let old = old as? ReceivedCookie, old.isMade(of: content, at: now) {
            // Foundation would write its file for nothing.
            old.noteUse(at: now)
            return true
        }
        guard let cookie = isExpired ? nil : ReceivedCookie(content) else {
            write(nil, for: key)
            return true
        }
        // It keeps its age (RFC 6265bis, section 5.7), but is in use.
        if old != nil { cookie.noteUse(at: now) }
        write(cookie, for: key)
        return true
    }

    private mutating func write(_ cookie: HTTPCookie?, for key: String) {
        if before[key] == nil { before[key] = .some(cookies[key]) }
        cookies[key] = cookie
    }

    /// The domain that a cookie is for; nil: the server may not set it.
    private static func domain(
        _ attribute: [UInt8], of location: CookieLocation
    ) -> (domain: [UInt8], isHostOnly: Bool)? {
        guard !attribute.isEmpty else { return (location.host, true) }
        guard !location.isAddress, CookieDomain.isWellFormed(attribute) else {
            return attribute == location.host ? (location.host, true) : nil
        }
        guard !CookieDomain.isPublicSuffix(attribute) else {
            return attribute == location.host ? (location.host, true) : nil
        }
        guard CookieDomain.matches(location.host, isAddress: false, attribute) else { return nil }
        return (attribute, false)
    }

    /// Nil for bytes that are no text in UTF-8: they could not be sent back as they are.
    private static func text(_ bytes: [UInt8]) -> String? { String(validating: bytes, as: UTF8.self) }

    /// Whether a name that begins with `__Secure-` or `__Host-` says the truth.
    private static func keepsPromise(of field: SetCookieField, isHostOnly: Bool, hasRootPath: Bool) -> Bool {
        if field.name.hasPrefixIgnoringCase("__secure-") { return field.isSecure }
        if field.name.hasPrefixIgnoringCase("__host-") { return field.isSecure && isHostOnly && hasRootPath }
        guard field.name.isEmpty else { return true }
        // A value alone looks like a name when it is sent, and like the cookie of another name with "=" in it.
        guard !field.value.contains(UInt8(ascii: "=")) else { return false }
        return !field.value.hasPrefixIgnoringCase("__secure-") && !field.value.hasPrefixIgnoringCase("__host-")
    }

    /// Whether a cookie from where anybody may have changed it would come in the way of a secure one.
    private func wouldHideSecureCookie(_ name: [UInt8], _ domain: [UInt8], _ path: [UInt8]) -> Bool {
        cookies.values.contains { old in
            guard old.isSecure, old.name.utf8.elementsEqual(name) else { return false }
            let oldDomain = old.bareDomain
            return CookieDomain.path(path, matches: old.path.utf8)
                && (CookieDomain.matches(oldDomain, isAddress: false, domain)
                    || CookieDomain.matches(domain, isAddress: false, oldDomain))
        }
    }

    private func expiry(of field: SetCookieField) -> Date? {
        let current = Int64(now.timeIntervalSince1970)
        let latest = current + Self.maximumAge
        if let age = field.maximumAge {
            return Date(timeIntervalSince1970: Double(age <= 0 ? 0 : current + min(age, Self.maximumAge)))
        }
        return field.expires.map { Date(timeIntervalSince1970: Double(min($0, latest))) }
    }

    // MARK: Limits

    /// Removes what is too much: expired cookies, then those of domains with too many, insecure ones first, then any. Of
    /// equals, the one that was not used for longest goes first.
    mutating func enforceLimits() {
        for (key, cookie) in cookies where cookie.isExpired(at: now) { write(nil, for: key) }
        var domains: [String: [HTTPCookie]] = [:]
        for cookie in cookies.values {
            domains[String(decoding: cookie.bareDomain, as: UTF8.self), default: []].append(cookie)
        }
        for members in domains.values {
            remove(members.count - Self.maximumPerDomain, of: members, insecureFirst: true)
        }
        remove(cookies.count - Self.maximumCount, of: all, insecureFirst: false)
    }

    private mutating func remove(_ count: Int, of cookies: [HTTPCookie], insecureFirst: Bool) {
        guard count > 0 else { return }
        let sorted = cookies.sorted { left, right in
            if insecureFirst, left.isSecure != right.isSecure { return right.isSecure }
            let (leftUse, rightUse) = (left.lastUse, right.lastUse)
            return leftUse == rightUse ? CookieCreation(of: left) < CookieCreation(of: right) : leftUse < rightUse
        }
        for cookie in sorted.prefix(count) { write(nil, for: Self.key(cookie)) }
    }
}
