// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The rules for storing cookies (RFC 6265bis, section 5.7), as a value: it begins with what a storage holds, takes
/// what a server sets, and ends with what has to change in the storage.
struct CookieJar {
    /// Cookies of one domain, and in all.
    static let (maximumPerDomain, maximumCount) = (50, 3000)
    /// Seconds that a cookie is kept at most: 400 days.
    static let maximumAge: Int64 = 400 * 86400
    /// Bytes of a name that is not ASCII. Foundation's table compares and hashes it as text, at a cost that grows with
    /// the square of its length.
    static let maximumTextNameLength = 256

    private let now: Date
    private var cookies: [CookieKey: HTTPCookie] = [:]
    /// The former cookie under each key that was written to.
    private var before: [CookieKey: HTTPCookie?] = [:]
    /// The cookies that the storage has no place for at the beginning.
    private let hidden: [HiddenCookie]

    init(_ shown: [HTTPCookie], hidden: [HiddenCookie] = [], now: Date = Date()) {
        self.now = now
        self.hidden = hidden
        for hidden in hidden { cookies[hidden.cookie.key] = hidden.cookie }
        for cookie in shown { cookies[cookie.key] = cookie }
    }

    private static func key(_ content: ReceivedCookie.Content) -> CookieKey {
        CookieKey(name: content.name, domain: content.domain, path: content.path)
    }

    var all: [HTTPCookie] { Array(cookies.values) }

    /// Returns true if there is a cookie with the same name, domain and path.
    func contains(_ content: ReceivedCookie.Content) -> Bool { cookies[Self.key(content)] != nil }

    /// The cookies that were removed, and those that were added or replaced. The latter are sorted, oldest first.
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

    /// The changes to a storage that holds only one of the cookies with the same `HTTPCookie.foundationKey`.
    struct Placement {
        /// The cookies to delete from the storage. Those to set are in `stored`, oldest first.
        var removed: [HTTPCookie] = []
        var stored: [HTTPCookie] = []
        /// All cookies that the storage has no place for.
        var hidden: [HiddenCookie] = []
    }

    /// Nil: nothing has changed.
    var placement: Placement? {
        let (removed, stored) = changes
        guard !removed.isEmpty || !stored.isEmpty else { return nil }
        // Cookies with the keys that something was written to.
        var places: [String: [HTTPCookie]] = [:]
        for cookie in removed + stored { places[cookie.foundationKey] = [] }
        let lengths = Set((removed + stored).map { $0.foundationKey.utf8.count })
        for cookie in cookies.values where cookie.mayHaveFoundationKey(ofLengths: lengths) {
            let key = cookie.foundationKey
            if places[key] != nil { places[key]?.append(cookie) }
        }
        var placement = Placement()
        placement.hidden = hidden.filter { places[$0.cookie.foundationKey] == nil }
        placement.removed = removed.filter { places[$0.foundationKey]?.isEmpty == true }
        let new = Set(stored.map { ObjectIdentifier($0) })
        let wasHidden = Set(hidden.map { ObjectIdentifier($0.cookie) })
        for members in places.values {
            // A secure one is shown rather than another, and then what came last.
            let shown = members.max { left, right in
                if left.isSecure != right.isSecure { return right.isSecure }
                let isNew = (new.contains(ObjectIdentifier(left)), new.contains(ObjectIdentifier(right)))
                if isNew.0 != isNew.1 { return isNew.1 }
                return CookieCreation(of: left) < CookieCreation(of: right)
            }
            guard let shown else { continue }
            let id = ObjectIdentifier(shown)
            if new.contains(id) || wasHidden.contains(id) { placement.stored.append(shown) }
            placement.hidden += members.filter { $0 !== shown }.map { HiddenCookie(cookie: $0, shown: shown) }
        }
        placement.stored.sort { CookieCreation(of: $0) < CookieCreation(of: $1) }
        return placement
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
            // Foundation's table compares names as text.
            let name = String(validating: field.name, as: UTF8.self),
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
        let value = String(validating: field.value, as: UTF8.self)
        put(
            ReceivedCookie.Content(
                name: name, value: value ?? String(latin1: field.value), isLatin1: value == nil,
                domain: isHostOnly ? text : "." + text,
                path: String(decoding: path, as: UTF8.self), isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly,
                sameSite: field.sameSite, expires: expiry(of: field), creation: CookieCreation(at: now)))
        return true
    }

    /// Puts a checked cookie in its place, from which an expired one is removed.
    mutating func put(_ content: ReceivedCookie.Content) {
        let key = Self.key(content)
        let isExpired = content.expires.map { $0 <= now } ?? false
        let old = cookies[key]
        var content = content
        if let old { content.creation = CookieCreation(of: old) }
        if !isExpired, let old = old as? ReceivedCookie, old.isMade(of: content, at: now) {
            // Foundation would write its file for nothing.
            old.noteUse(at: now)
            return
        }
        guard let cookie = isExpired ? nil : ReceivedCookie(content) else {
            write(nil, for: key)
            return
        }
        // It keeps its age (RFC 6265bis, section 5.7), but is in use.
        if old != nil { cookie.noteUse(at: now) }
        write(cookie, for: key)
    }

    private mutating func write(_ cookie: HTTPCookie?, for key: CookieKey) {
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

    /// Returns true if the field keeps the promise of a name that begins with `__Secure-` or `__Host-`.
    private static func keepsPromise(of field: SetCookieField, isHostOnly: Bool, hasRootPath: Bool) -> Bool {
        if field.name.hasPrefixIgnoringCase("__secure-") { return field.isSecure }
        if field.name.hasPrefixIgnoringCase("__host-") { return field.isSecure && isHostOnly && hasRootPath }
        guard field.name.isEmpty else { return true }
        // A value alone looks like a name when it is sent, and like the cookie of another name with "=" in it.
        guard !field.value.contains(UInt8(ascii: "=")) else { return false }
        return !field.value.hasPrefixIgnoringCase("__secure-") && !field.value.hasPrefixIgnoringCase("__host-")
    }

    /// Returns true if a cookie from an insecure connection, which others may have changed, would hide a secure one.
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

    /// Removes what is too much: expired cookies, then those of domains with too many, insecure ones first, then those
    /// of the sites with most, since a site has any number of domains. Of equals, the one that was not used for longest
    /// goes first.
    mutating func enforceLimits() {
        for (key, cookie) in cookies where cookie.isExpired(at: now) { write(nil, for: key) }
        var domains: [String: [HTTPCookie]] = [:]
        for cookie in cookies.values {
            domains[String(decoding: cookie.bareDomain, as: UTF8.self), default: []].append(cookie)
        }
        for members in domains.values {
            let excess = members.count - Self.maximumPerDomain
            guard excess > 0 else { continue }
            let sorted = members.sorted { left, right in
                left.isSecure == right.isSecure ? Self.wasUsedBefore(left, right) : right.isSecure
            }
            for cookie in sorted.prefix(excess) { write(nil, for: cookie.key) }
        }
        let excess = cookies.count - Self.maximumCount
        if excess > 0 { makeRoom(excess) }
    }

    private mutating func makeRoom(_ count: Int) {
        var sites: [String: [HTTPCookie]] = [:]
        for cookie in cookies.values {
            let domain = String(decoding: cookie.bareDomain, as: UTF8.self)
            sites[PublicSuffixList.shared.registrableDomain(of: domain) ?? domain, default: []].append(cookie)
        }
        // Each with the first to go at its end.
        var lists = sites.values.map { $0.sorted { Self.wasUsedBefore($1, $0) } }
        for _ in 0..<count {
            let largest = lists.indices.max { left, right in
                guard lists[left].count == lists[right].count else { return lists[left].count < lists[right].count }
                guard let first = lists[left].last, let second = lists[right].last else { return false }
                return Self.wasUsedBefore(second, first)
            }
            guard let largest, let cookie = lists[largest].popLast() else { return }
            write(nil, for: cookie.key)
        }
    }

    private static func wasUsedBefore(_ left: HTTPCookie, _ right: HTTPCookie) -> Bool {
        let (leftUse, rightUse) = (left.lastUse, right.lastUse)
        return leftUse == rightUse ? CookieCreation(of: left) < CookieCreation(of: right) : leftUse < rightUse
    }
}
