// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// A selected representation of a resource, as far as it tells whether the rest of it can be asked for later
/// (RFC 9110, sections 13.1.5 and 14).
package struct Representation: Sendable, Equatable, Codable {
    /// A strong entity tag, or a date that is a strong validator: what `If-Range` is sent with. Each character is an
    /// octet, as in Latin-1.
    package var validator: String
    /// The resource that it belongs to, since a validator says nothing across resources (RFC 9110, section 8.8.3): a
    /// digest of the URL that answered, after redirects. Nil: not known, as in what earlier versions have left.
    var source: String?
    /// All bytes, when known.
    package var totalLength: Int64?
    /// Bytes that are here already, when restored from an archive or a partial file.
    package var offset: Int64 = 0

    /// The representation of a complete answer to a GET; nil when it cannot be continued.
    ///
    /// - Parameters:
    ///   - url: what answered.
    ///   - time: when it came, in seconds since 1970.
    init?(head: ResponseHead, from url: URL?, method: String, receivedAt time: Double) {
        guard method == "GET", head.statusCode == 200,
            ContentDecoder.codings(of: head).isEmpty,
            head.firstBytes(for: .acceptRanges)?.equalsIgnoringCase("none") != true,
            let validator = Self.validator(of: head, receivedAt: time)
        else { return nil }
        self.validator = validator
        source = url.flatMap(Self.source)
        totalLength = head.contentLength
    }

    init(validator: String, source: String?, totalLength: Int64?, offset: Int64) {
        self.validator = validator
        self.source = source
        self.totalLength = totalLength
        self.offset = offset
    }

    /// A strong entity tag, else, where there is no tag, a modification date that says as much; weak tags do not
    /// promise equal bytes.
    private static func validator(of head: ResponseHead, receivedAt time: Double) -> String? {
        if head.contains(.entityTag) {
            guard let tag = head.firstBytes(for: .entityTag, limit: maximumValidatorLength) else { return nil }
            if tag.first == UInt8(ascii: "\"") { return tag.count > 2 ? text(tag) : nil }
            if tag.starts(with: "W/".utf8) { return nil }
        }
        guard let date = head.firstBytes(for: .lastModified, limit: maximumValidatorLength),
            isStrong(date, in: head, receivedAt: time)
        else { return nil }
        return text(date)
    }

    /// Returns true if no later change can have the same modification date: if the answer was made later than in the
    /// second of the change (RFC 9110, section 8.8.2.2). For an answer without a `Date`, the time when it came counts
    /// (section 6.6.1), by our clock, which may differ from the server's.
    private static func isStrong(_ date: [UInt8], in head: ResponseHead, receivedAt time: Double) -> Bool {
        guard let modified = HTTPDate.seconds(date) else { return false }
        if let made = head.firstBytes(for: .date).flatMap(HTTPDate.seconds) { return made - modified >= 1 }
        return time - modified >= clockDifference
    }

    private static let maximumValidatorLength = 1024
    /// Seconds by which clocks may differ.
    private static let clockDifference = 60.0

    private static func text(_ bytes: [UInt8]) -> String? {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? String(latin1: bytes) : nil
    }

    /// Returns true if this text may be a validator.
    static func isValidator(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { 0x20...0xFF ~= $0.value && $0.value != 0x7F }
    }

    /// A digest of a URL, which may hold secrets that do not belong on the disk.
    static func source(_ url: URL) -> String? {
        let text = url.withoutUserInfo.absoluteString.utf8
        return try? SHA256Hasher.hex(of: Data(text.prefix { $0 != UInt8(ascii: "#") }))
    }

    private func isFrom(_ url: URL?) -> Bool { source != nil && url.flatMap(Self.source) == source }

    /// Returns true if a 206 of a URL continues this representation from `offset`.
    func isContinued(by head: ResponseHead, from offset: Int64, at url: URL?) -> Bool {
        guard head.statusCode == 206, isFrom(url), let range = ContentRange(head: head), range.first == offset else {
            return false
        }
        if let known = totalLength, let total = range.total, known != total { return false }
        return hasValidator(of: head)
    }

    /// Returns true if a 416 of a URL says that this representation has no more than the `offset` bytes that are here.
    func isComplete(by head: ResponseHead, of offset: Int64, at url: URL?) -> Bool {
        head.statusCode == 416 && isFrom(url) && ContentRange(head: head)?.total == offset
            && totalLength ?? offset == offset
            && hasValidator(of: head)
    }

    /// A response without the field is of the representation that was asked for.
    private func hasValidator(of head: ResponseHead) -> Bool {
        let isTag = validator.utf8.first == UInt8(ascii: "\"")
        let present = head.firstBytes(for: isTag ? .entityTag : .lastModified, limit: .max)
        return present?.elementsEqual(validator.latin1) ?? true
    }
}

extension ResponseHead {
    /// Of a 416 that says that all content is here: the head of the part that was missing, and is empty. What describes
    /// the content of the refusal is left out.
    var ofEmptyPart: ResponseHead {
        let rest = replacingFields { name in
            !Self.ofContent.contains { name.equalsIgnoringCase($0) }
        }
        return ResponseHead(statusCode: 206, httpVersion: httpVersion, rawFields: rest.rawFields)
    }

    private static let ofContent: [StaticString] = [
        "Content-Encoding", "Content-Language", "Content-Length", "Content-Range", "Content-Type", "Transfer-Encoding",
    ]
}
