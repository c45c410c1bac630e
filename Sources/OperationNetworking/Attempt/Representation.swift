// SPDX-License-Identifier: MIT
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
            head.firstBytes(for: .acceptRanges)?.equalsIgnoringCase("none") != true,
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
    ///
    /// As text of visible ASCII only, since it is sent back as it is.
    private static func validator(of head: ResponseHead) -> String? {
        if let tag = head.firstBytes(for: .entityTag, limit: maximumValidatorLength) {
            if tag.first == UInt8(ascii: "\""), tag.count > 2 { return text(tag) }
            if tag.starts(with: "W/".utf8) { return nil }
        }
        return head.firstBytes(for: .lastModified, limit: maximumValidatorLength).flatMap(text)
    }

    private static let maximumValidatorLength = 1024

    private static func text(_ bytes: [UInt8]) -> String? {
        bytes.allSatisfy { 0x20...0x7E ~= $0 } ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Whether a 206 is the continuation of this representation from `offset`.
    func isContinued(by head: ResponseHead, from offset: Int64) -> Bool {
        guard head.statusCode == 206, let range = ContentRange(head: head), range.first == offset else { return false }
        let isTag = validator.utf8.first == UInt8(ascii: "\"")
        let present = head.firstBytes(for: isTag ? .entityTag : .lastModified, limit: .max)
        if let present, !present.elementsEqual(validator.utf8) { return false }
        if let known = totalLength, let total = range.total, known != total { return false }
        return true
    }
}
