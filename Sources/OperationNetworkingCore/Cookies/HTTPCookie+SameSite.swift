// SPDX-License-Identifier: MIT
public import FoundationNetworking
internal import NetworkingTransport

/// The value of a cookie's `SameSite` attribute (RFC 6265bis, section 5.6.7). Foundation has the type on Apple's
/// systems.
public struct HTTPCookieStringPolicy: RawRepresentable, Hashable, Sendable {
    /// "lax" or "strict".
    public let rawValue: String

    /// A policy by its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// For requests of the same site, and for the top level of navigations to it.
    public static let sameSiteLax = HTTPCookieStringPolicy(rawValue: "lax")
    /// For requests of the same site only.
    public static let sameSiteStrict = HTTPCookieStringPolicy(rawValue: "strict")

    /// Nil for `None`, and for unknown values.
    init?(attribute: some Collection<UInt8>) {
        if attribute.equalsIgnoringCase("lax") {
            self = .sameSiteLax
        } else if attribute.equalsIgnoringCase("strict") {
            self = .sameSiteStrict
        } else {
            return nil
        }
    }
}

extension HTTPCookie {
    /// The `SameSite` attribute of a cookie that this library received. Nil when it said nothing, `None`, or something
    /// unknown, and for cookies that were made in another way.
    ///
    /// Kept for the program: the library does not know on whose behalf a request is made, and sends the cookie whatever
    /// the attribute says.
    public var sameSitePolicy: HTTPCookieStringPolicy? { (self as? ReceivedCookie)?.sameSite }
}
