// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The key under which a response is kept.
package struct CacheKey: Hashable, Sendable, ResourceKey {
    /// All that a disk has of a key: one half is of the SHA-256 digest of the URL, the other of that of the whole key.
    struct Digest: ResourceKey {
        private let words: (UInt64, UInt64, UInt64, UInt64)

        static let length = 32

        /// Nil: these are not 32 bytes.
        init?(_ bytes: some Collection<UInt8>) {
            guard bytes.count == Self.length else { return nil }
            var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
            withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
            self.words = words
        }

        /// The URL's half of one digest, and the other half of another.
        init(_ url: Digest, rest: Digest) {
            words = (url.words.0, url.words.1, rest.words.2, rest.words.3)
        }

        var resource: Resource { Resource(first: words.0, second: words.1) }

        /// The bytes in the order of the digest, whatever the machine's order is.
        var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

        static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

        // Equal ones are equal in all words, and those of one URL differ in the third.
        func hash(into hasher: inout Hasher) { hasher.combine(words.2) }
    }

    /// The resource that a URL names, whoever asks for it and by which way: the half of a digest that is of the URL alone.
    struct Resource: Hashable, Sendable {
        fileprivate let first: UInt64
        fileprivate let second: UInt64
    }

    /// A text for the security policy whose verdict on the server the response relies on, the route, and the user who
    /// has asked.
    let trust: String
    let target: RequestTarget
    /// The one of several responses; empty: the one that is found first.
    private let variant: String
    /// The digest of all that distinguishes the entry from others.
    let digest: Digest

    private static let host = "cache.operation-networking.invalid"
    /// Bytes of host, port and path that a `URLCache` has room for in the name of a file.
    private static let longestIdentity = 160

    /// - Parameters:
    ///   - target: the target of the request.
    ///   - trust: a text for the policy whose verdict on the server the response relies on, the route, and the user;
    ///     empty: the default policy and route, and no user.
    /// - Returns: nil where there is no digest.
    init?(_ target: RequestTarget, trust: String) {
        self.init(target, trust: trust, variant: "")
    }

    private init?(_ target: RequestTarget, trust: String, variant: String) {
        guard let url = Self.digest(of: target) else { return nil }
        if trust.isEmpty, variant.isEmpty {
            // As most keys are: one digest has both halves.
            digest = url
        } else {
            guard let whole = Self.digest(of: url, trust, variant) else { return nil }
            digest = Digest(url, rest: whole)
        }
        self.trust = trust
        self.target = target
        self.variant = variant
    }

    private static func digest(of target: RequestTarget) -> Digest? {
        var hasher = SHA256Hasher()
        // The origin is without a port that the scheme has anyway: one entry for both spellings.
        hasher.update(target.origin)
        var url = target.url
        url.withUTF8 { url in
            let form = OriginForm.slice(of: url)
            if form.needsSlash { hasher.update("/") }
            hasher.update(UnsafeRawBufferPointer(form.bytes))
        }
        return (try? hasher.finishBytes()).flatMap { Digest($0) }
    }

    private static func digest(of url: Digest, _ trust: String, _ variant: String) -> Digest? {
        var hasher = SHA256Hasher()
        url.bytes.withUnsafeBytes { hasher.update($0) }
        // With its length, so that no two pairs have the same text.
        hasher.update("\(trust.utf8.count):")
        hasher.update(trust)
        hasher.update(variant)
        return (try? hasher.finishBytes()).flatMap { Digest($0) }
    }

    /// The key of the same URL for requests without a user, by the usual way, under the default policy; nil: there is
    /// no digest.
    var plain: CacheKey? { trust.isEmpty && variant.isEmpty ? self : CacheKey(target, trust: "") }

    /// Returns the user that a request comes from, as a part of `trust`; nil: there is no digest. The user decides what
    /// is answered, whether `Vary` says so or not.
    static func user(of request: URLRequest?) -> String? {
        let fields = request?.allHTTPHeaderFields ?? [:]
        guard let authorization = fields.first(where: { $0.key.isFieldName("Authorization") })?.value else { return "" }
        return (try? SHA256Hasher.hex(of: Data(authorization.utf8))).map { " " + $0 }
    }

    /// One of several responses of a URL that were chosen by request fields.
    func variant(_ generation: String, _ selecting: [StoredResponse.SelectingField]) -> CacheKey? {
        // Lengths, so that no two lists have the same text.
        var text = "\(variant)\n\(generation)"
        for field in selecting {
            text += "\n\(field.name):" + (field.value.map { "\($0.utf8.count):\($0)" } ?? "")
        }
        return CacheKey(target, trust: trust, variant: text)
    }

    var resource: Resource { digest.resource }

    package static func == (left: CacheKey, right: CacheKey) -> Bool { left.digest == right.digest }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    // MARK: In a URLCache

    // Foundation's own key is host, port and decoded path: neither the scheme nor the query, and no more than fits into
    // the name of a file. So that is used for URLs without a query only, where `URLCache.cachedResponse(for:)` finds
    // the response, too; all others have the digest as the path of a host that does not exist.

    /// The URL that a `URLCache` is given.
    var url: URL? { plainURL ?? URL(string: "http://\(Self.host)/\(digest.bytes.hexadecimal)") }

    /// The URL itself, where a `URLCache` distinguishes it from all others but that of the other scheme; nil: it does
    /// not.
    var plainURL: URL? {
        guard isPlain, let text = plainText, text.utf8.count <= Self.longestIdentity, let url = URL(string: text),
            url.host != nil
        else { return nil }
        return url
    }

    /// The URL, if other code may have stored something under it; nil: the response is for some requests only.
    var foreignURL: URL? { plainText.flatMap { URL(string: $0) } }

    /// The part of `plainURL` that a `URLCache` compares: the same for both schemes.
    var plainIdentity: [UInt8]? {
        plainText.flatMap { text in text.utf8.firstIndex(of: UInt8(ascii: ":")).map { Array(text.utf8[$0...]) } }
    }

    /// True if `plainURL` is worth a try.
    var isPlain: Bool {
        guard trust.isEmpty, variant.isEmpty else { return false }
        var url = target.url
        return url.withUTF8 {
            !OriginForm.slice(of: $0).bytes.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "%") }
        }
    }

    /// The URL of a key without trust and variant, in its one spelling.
    private var plainText: String? {
        guard trust.isEmpty, variant.isEmpty else { return nil }
        return target.origin + OriginForm.make(of: target.url)
    }
}

extension Collection<UInt8> {
    /// Two digits for each byte.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
