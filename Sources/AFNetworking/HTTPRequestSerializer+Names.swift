// SPDX-License-Identifier: MIT
internal import Foundation
public import FoundationNetworking

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension HTTPRequestSerializer {
    /// Forwards to `init()`. AF: `+serializer`, which Swift imported as `init()`.
    public static func serializer() -> Self {
        self.init()
    }

    // MARK: Settings

    /// `httpRequestHeaders`, as Swift 1 and 2 have it.
    public var HTTPRequestHeaders: [String: String] { httpRequestHeaders }

    /// `httpMethodsEncodingParametersInURI`, as Swift 1 and 2 have it.
    public var HTTPMethodsEncodingParametersInURI: Set<String> {
        get { httpMethodsEncodingParametersInURI }
        set { httpMethodsEncodingParametersInURI = newValue }
    }

    /// `httpShouldHandleCookies`, as Swift 1 and 2 have it. True when it is not set.
    public var HTTPShouldHandleCookies: Bool {
        get { httpShouldHandleCookies ?? true }
        set { httpShouldHandleCookies = newValue }
    }

    /// `httpShouldUsePipelining`, as Swift 1 and 2 have it. False when it is not set.
    public var HTTPShouldUsePipelining: Bool {
        get { httpShouldUsePipelining ?? false }
        set { httpShouldUsePipelining = newValue }
    }

    /// Kept so that code builds, without effect. AFNetworking's clients announce changes of `timeoutInterval` by it, which
    /// here needs no announcement.
    public func willChangeValue(forKey key: String) {}

    /// Kept so that code builds, without effect. See `willChangeValue(forKey:)`.
    public func didChangeValue(forKey key: String) {}

    /// Kept so that code builds, without effect. See `willChangeValue(forKey:)`.
    public func willChangeValueForKey(_ key: String) {}

    /// Kept so that code builds, without effect. See `willChangeValue(forKey:)`.
    public func didChangeValueForKey(_ key: String) {}

    /// `value(forHTTPHeaderField:)`, as Swift 1 and 2 have it.
    public func valueForHTTPHeaderField(_ field: String) -> String? {
        value(forHTTPHeaderField: field)
    }

    /// Sets `Authorization` to `Token token="…"`.
    public func setAuthorizationHeaderFieldWithToken(_ token: String) {
        setValue("Token token=\"\(token)\"", forHTTPHeaderField: "Authorization")
    }

    // MARK: Query strings

    /// `setQueryStringSerialization(_:)` without a block. There is one style.
    public func setQueryStringSerializationWithStyle(_ style: AFHTTPRequestQueryStringSerializationStyle) {
        setQueryStringSerialization(nil)
    }

    /// `setQueryStringSerializationWithStyle(_:)`, as Swift 3 and later have it.
    public func setQueryStringSerializationWith(_ style: AFHTTPRequestQueryStringSerializationStyle) {
        setQueryStringSerialization(nil)
    }

    /// `setQueryStringSerialization(_:)`, as Swift 3 and later have it.
    ///
    /// What `block` puts where its last argument points is thrown by the serializer.
    @preconcurrency
    public func setQueryStringSerializationWith(
        _ block: (@Sendable (_ request: URLRequest, _ parameters: Any, _ error: NSErrorPointer) -> String?)?
    ) {
        guard let block else { return setQueryStringSerialization(nil) }
        setQueryStringSerialization { request, parameters in
            var error: NSError?
            let query = block(request, parameters, &error)
            if let error { throw error }
            return query ?? ""
        }
    }

    /// `setQueryStringSerialization(_:)`, as Swift 1 and 2 have it.
    ///
    /// What `block` puts where its last argument points is thrown by the serializer.
    @preconcurrency
    public func setQueryStringSerializationWithBlock(
        _ block: (@Sendable (_ request: NSURLRequest, _ parameters: AnyObject, _ error: NSErrorPointer) -> String?)?
    ) {
        guard let block else { return setQueryStringSerialization(nil) }
        setQueryStringSerializationWith { block($0 as NSURLRequest, $1 as AnyObject, $2) }
    }
}
