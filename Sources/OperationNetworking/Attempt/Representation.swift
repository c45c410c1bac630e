internal import Foundation
internal import NetworkingTransport

/// A selected representation of a resource, as far as it tells whether the rest of it can be asked for later
/// (RFC 9110, sections 13.1.5 and 14).
struct Representation: Sendable, Equatable, Codable {
    /// A strong entity tag, or a date: what `If-Range` is sent with.
    var validator: String
    /// All bytes, when known.
    var totalLength: Int64?
    /// Bytes that are here already, when restored from an archive or a partial file.
    var offset: Int64 = 0

    /// The representation of a complete answer to a GET; nil when it cannot be continued.
    init?(head: ResponseHead, method: String) {
        guard method == "GET", head.statusCode == 200,
            ContentDecoder.codings(of: head).isEmpty,
            head.firstValue(for: "Accept-Ranges")?.lowercased() != "none",
            let validator = Self.validator(of: head)
        else { return nil }
        self.validator = validator
        totalLength = head.contentLength
    }

    init(validator: String, totalLength: Int64?, offset: Int64) {
        self.validator = validator
        self.totalLength = totalLength
        self.offset = offset
    }

    /// A strong entity tag, else the modification date; weak tags do not promise equal bytes.
    private static func validator(of head: ResponseHead) -> String? {
        if let tag = head.firstValue(for: "ETag") {
            if tag.hasPrefix("\""), tag.count > 2 { return tag }
            if tag.hasPrefix("W/") { return nil }
        }
        return head.firstValue(for: "Last-Modified")
    }

    /// Whether a 206 is the continuation of this representation from `offset`.
    func isContinued(by head: ResponseHead, from offset: Int64) -> Bool {
        guard head.statusCode == 206, let range = ContentRange(head: head), range.first == offset else { return false }
        let present = head.firstValue(for: validator.hasPrefix("\"") ? "ETag" : "Last-Modified")
        if let present, present != validator { return false }
        if let known = totalLength, let total = range.total, known != total { return false }
        return true
    }
}
