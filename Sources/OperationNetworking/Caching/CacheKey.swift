// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// Under what a response is kept.
struct CacheKey: Hashable, Sendable {
    /// The SHA-256 digest of a key's text: all that is known of it on a disk.
    struct Digest: Hashable, Sendable {
        private let words: (UInt64, UInt64, UInt64, UInt64)

        static let length = 32

        /// Nil: these are not 32 bytes.
        init?(_ bytes: some Collection<UInt8>) {
            guard bytes.count == Self.length else { return nil }
            var words: [UInt64] = [0, 0, 0, 0]
            for (index, byte) in bytes.enumerated() { words[index >> 3] = words[index >> 3] << 8 | UInt64(byte) }
            self.words = (words[0], words[1], words[2], words[3])
        }

        var bytes: [UInt8] {
            [words.0, words.1, words.2, words.3].flatMap { word in
                stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
            }
        }

        static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

        // Equal ones are equal in all words, and different ones in the first.
        func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
    }

    /// What tells the entry apart from all others: where, whose trust, which variant.
    let text: String
    let digest: Digest

    private static let host = "cache.operation-networking.invalid"
    /// Bytes of host, port and path that a `URLCache` has room for in the name of a file.
    private static let longestIdentity = 160

    /// - Parameters:
    ///   - target: what is asked for.
    ///   - trust: whose verdict on the server the response relies on; empty: the default policy's.
    /// - Returns: nil where there is no digest.
    init?(_ target: RequestTarget, trust: String) {
        // The origin is without a port that the scheme has anyway: one entry for both spellings.
        self.init(text: trust + "\n" + target.origin + OriginForm.make(of: target.url))
    }

    /// Who a request comes from decides what is answered, whether `Vary` says so or not. A part of `trust`; nil: there is no
    /// digest.
    static func user(of request: URLRequest?) -> String? {
        guard let authorization = request?.value(forHTTPHeaderField: "Authorization") else { return "" }
        return (try? SHA256Hasher.hex(of: Data(authorization.utf8))).map { " " + $0 }
    }

    private init?(text: String) {
        var hasher = SHA256Hasher()
        var text = text
        text.withUTF8 { hasher.update(UnsafeRawBufferPointer($0)) }
        guard let digest = (try? hasher.finish()).flatMap({ Digest($0) }) else { return nil }
        self.text = text
        self.digest = digest
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

    static func == (left: CacheKey, right: CacheKey) -> Bool { left.digest == right.digest }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    // MARK: In a URLCache

    // Foundation's own key is host, port and decoded path: neither the scheme nor the query, and no more than fits into the
    // name of a file. So that is used for URLs without a query only, where `URLCache.cachedResponse(for:)` finds the
    // response, too; all others have the digest as the path of a host that does not exist.

    /// The URL that a `URLCache` is given.
    var url: URL? { plainURL ?? URL(string: "http://\(Self.host)/\(digest.bytes.hexadecimal)") }

    /// The URL itself, where a `URLCache` tells it from all others but that of the other scheme; nil: it does not.
    var plainURL: URL? {
        guard let target, !target.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "%") }),
            target.count <= Self.longestIdentity, let url = URL(string: String(decoding: target, as: UTF8.self)),
            url.host != nil
        else { return nil }
        return url
    }

    /// The URL, if it is one under which somebody else may have stored something; nil: the response is for some requests
    /// only.
    var foreignURL: URL? { target.flatMap { URL(string: String(decoding: $0, as: UTF8.self)) } }

    /// What `plainURL` is to a `URLCache`: the same for both schemes.
    var plainIdentity: [UInt8]? {
        target.flatMap { target in target.firstIndex(of: UInt8(ascii: ":")).map { Array(target[$0...]) } }
    }

    /// Whether `plainURL` is worth a try.
    var isPlain: Bool {
        text.utf8.first == UInt8(ascii: "\n")
            && !text.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "%") }
    }

    /// The URL of a key without trust and variant, in its one spelling.
    private var target: Array<UInt8>.SubSequence? {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "\n"), !bytes.dropFirst().contains(UInt8(ascii: "\n")) else { return nil }
        return bytes.dropFirst()
    }
}

extension Collection<UInt8> {
    /// Two digits for each byte.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
