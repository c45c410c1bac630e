// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// Under what a response is kept in a `URLCache`.
///
/// Foundation's own key is host, port and decoded path: neither the scheme nor the query, and no more than fits into the
/// name of a file. So that is used for URLs without a query only, where `URLCache.cachedResponse(for:)` finds the
/// response, too; all others have a digest as the path of a host that does not exist. Either way what is found is
/// compared with the URL that is asked for.
struct CacheKey: Hashable, Sendable {
    /// What tells the entry apart from all others: where, whose trust, which variant.
    let text: String
    /// The URL that Foundation is given.
    let url: URL
    /// How the entry's file is called, but for its date and extension.
    let identifier: String

    private static let host = "cache.operation-networking.invalid"
    /// Bytes of host, port and path that a name of 255 bytes has room for, in Base64.
    private static let longestIdentity = 160

    /// - Parameters:
    ///   - target: what is asked for.
    ///   - trust: whose verdict on the server the response relies on; empty: the default policy's.
    /// - Returns: nil where there is no digest.
    init?(_ target: RequestTarget, trust: String) {
        let path = OriginForm.make(of: target.url)
        let text = trust + "\n" + target.origin + path
        // Without a port that the scheme has anyway: one entry for both spellings.
        let plain = trust.isEmpty && !path.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "%") }
        if plain, let url = URL(string: target.origin + path), url.host != nil,
            Self.identity(url).count <= Self.longestIdentity
        {
            self.init(text: text, url: url)
        } else {
            self.init(text: text)
        }
    }

    /// One of several responses of a URL that were chosen by request fields.
    func variant(_ generation: String, _ selecting: [StoredResponse.SelectingField]) -> CacheKey? {
        // Lengths, so that no two lists have the same text.
        var text = "\(self.text)\n\(generation)"
        for field in selecting {
            text += "\n\(field.name):" + (field.value.map { "\($0.utf8.count):\($0)" } ?? "")
        }
        return CacheKey(text: text)
    }

    /// Where Foundation itself would look for a URL. What is there was not stored under this key.
    var foundationURL: URL? {
        guard url.host == Self.host, let start = text.utf8.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return start == text.startIndex ? URL(string: String(text[text.index(after: start)...])) : nil
    }

    private init?(text: String) {
        guard let digest = try? SHA256Hasher.hex(of: Data(text.utf8)),
            let url = URL(string: "http://\(Self.host)/\(digest)")
        else { return nil }
        self.init(text: text, url: url)
    }

    private init(text: String, url: URL) {
        self.text = text
        self.url = url
        identifier = Self.identifier(url)
    }

    /// As Foundation makes it.
    static func identifier(_ url: URL) -> String { identity(url).base64EncodedString() }

    private static func identity(_ url: URL) -> Data {
        Data("\(url.host?.lowercased() ?? "")\0\(url.port ?? -1)\0\(url.path)\0".utf8)
    }

    static func == (left: CacheKey, right: CacheKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}
