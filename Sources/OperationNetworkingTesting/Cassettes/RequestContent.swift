// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport
internal import OperationNetworking

/// The content of a request, which is compared by what it means: the same program writes the keys of JSON in another
/// order the next time, and another boundary between the parts of a form.
struct RequestContent {
    private enum Meaning: Equatable {
        /// With its keys in order.
        case json(Data)
        /// The parts between the boundaries.
        case parts([Data])
    }

    private let bytes: Data
    /// The value of `Content-Type`; nil: absent.
    private let type: String?
    /// Nil: nothing more than the bytes.
    private lazy var meaning: Meaning? = makeMeaning()

    init(_ bytes: Data?, type: String?) {
        self.bytes = bytes ?? Data()
        self.type = type
    }

    mutating func isSame(as other: RequestContent) -> Bool {
        if bytes == other.bytes { return true }
        guard let own = meaning else { return false }
        return own == other.makeMeaning()
    }

    private func makeMeaning() -> Meaning? {
        let pieces = Array((type ?? "").utf8).split(separator: UInt8(ascii: ";")).map { $0.trimmingBlanks }
        guard let media = pieces.first else { return nil }
        if media.equalsIgnoringCase("application/json") || media.suffix(5).equalsIgnoringCase("+json") {
            return Self.sorted(bytes).map { Meaning.json($0) }
        }
        guard media.hasPrefixIgnoringCase("multipart/"), let boundary = Self.boundary(in: pieces.dropFirst()) else {
            return nil
        }
        return .parts(Self.parts(of: bytes, between: boundary))
    }

    /// JSON with its keys in order; nil: the content is not JSON.
    private static func sorted(_ json: Data) -> Data? {
        let serializer = JSONResponseSerializer(readingOptions: .fragmentsAllowed)
        guard let object = try? serializer.responseObject(for: nil, data: json) else { return nil }
        return try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .fragmentsAllowed])
    }

    /// The text that begins each line between parts (RFC 2046, section 5.1.1); nil: no parameter says it.
    private static func boundary(in parameters: ArraySlice<ArraySlice<UInt8>>) -> Data? {
        guard let parameter = parameters.first(where: { $0.hasPrefixIgnoringCase("boundary=") }) else { return nil }
        var value = parameter.dropFirst(9)
        let quote = UInt8(ascii: "\"")
        if value.count > 1, value.first == quote, value.last == quote { value = value.dropFirst().dropLast() }
        return value.isEmpty ? nil : Data("--".utf8) + Data(value)
    }

    private static func parts(of content: Data, between boundary: Data) -> [Data] {
        var parts: [Data] = []
        var rest = content[...]
        while let range = rest.range(of: boundary) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return parts + [rest]
    }
}
