// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// A look into the cache for one request.
struct CacheLookup: Sendable {
    let setting: CacheSetting
    let key: CacheKey
    /// Without fragment, user name and password.
    let url: String
    let request: URLRequest
    let cookies: CookieStorageSetting
    let cookieURL: URL
    let defaults: [HeaderField]
    /// True if the sender of the request takes content out of its codings itself: then it gets no response that was
    /// decoded.
    let decodesItself: Bool

    typealias Findings = (stored: StoredResponse?, primary: StoredResponse?)

    private var selector: CacheSelector {
        CacheSelector(request: request, cookies: cookies, url: cookieURL, defaults: defaults)
    }

    /// Returns the response for the request, if it is known without a look at the disk; nil: it is not.
    func findRecent() -> Findings? {
        setting.cacheIfMade.flatMap { cache in find { cache.recentResponse(for: $0) } }
    }

    /// Returns the response for the request, and the one that is kept under the URL itself. Reads the disk.
    func find() -> Findings {
        guard let cache = setting.cache else { return (nil, nil) }
        return find { cache.response(for: $0, url: url) } ?? (nil, cache.response(for: key, url: url))
    }

    /// Nil: `response` returned none for a key.
    private func find(_ response: (CacheKey) -> StoredResponse?) -> Findings? {
        guard let primary = response(key) else { return nil }
        let selector = selector
        if primary.isChosen(by: selector.value(of:)) { return (accepted(primary), primary) }
        let fields = primary.selecting.map { field in
            StoredResponse.SelectingField(name: field.name, value: selector.value(of: field.name))
        }
        guard let variant = key.variant(primary.generation, fields), let stored = response(variant),
            stored.isChosen(by: selector.value(of:))
        else { return nil }
        return (accepted(stored), primary)
    }

    private func accepted(_ stored: StoredResponse) -> StoredResponse? {
        decodesItself && !ContentDecoder.codings(of: stored.head).isEmpty ? nil : stored
    }
}

/// The values of a request in the fields that responses are chosen by.
struct CacheSelector {
    let request: URLRequest
    let cookies: CookieStorageSetting
    let url: URL
    /// Fields that the client adds to requests without them.
    let defaults: [HeaderField]
    /// The `Cookie` field that the request was sent with; nil: it has not been sent.
    var sentCookies: String??

    /// - Parameter name: in lower case.
    func value(of name: String) -> String? { fieldValue(of: name).map { StoredResponse.kept($0, of: name) } }

    private func fieldValue(of name: String) -> String? {
        if let value = request.value(forHTTPHeaderField: name) { return StoredResponse.normalized(value) }
        // Of the other fields that the library adds only this one differs from request to request.
        guard name == "cookie" else {
            return defaults.first { $0.name.isFieldName(name) }.map { StoredResponse.normalized($0.value) }
        }
        // Cookies that the response itself has set count for the next request, not for this one.
        if let sentCookies { return sentCookies }
        guard request.httpShouldHandleCookies, cookies.areSent else { return nil }
        return cookies.storage?.cookieField(for: url)?.value
    }
}
