// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport

/// Validates as ``HTTPResponseSerializer`` does and decodes JSON into a value.
///
/// Media types, charsets and the rules for an empty body and for a status that is not acceptable are
/// ``JSONResponseSerializer``'s: an API's error document that decodes to `Value` too is on the error. A body with more
/// than 128 combining marks in a row is an error, not only in a key: a value may become a member of a set, or be compared
/// with the cases of an enumeration, which would take quadratic time.
///
/// It can be copied but not archived: a decoder's strategies may be closures. An archive of it decodes to `nil`.
///
/// ```swift
/// manager.responseSerializer = DecodableResponseSerializer<Book>()
/// manager.get(
///     "books/1",
///     success: { _, object in
///         if let book = object as? Book { print(book.title) }
///     })
/// ```
// Sendable because its only stored state is behind `Locked`.
open class DecodableResponseSerializer<Value: Decodable & Sendable>: HTTPResponseSerializer, @unchecked Sendable {
    /// Guarded by itself.
    private let settings = Locked(JSONDecoder())

    /// A serializer with a plain decoder.
    public override init() {
        super.init()
        acceptableContentTypes = JSONText.mediaTypes
    }

    /// A serializer with the given decoder, which must not be changed while requests are under way.
    public convenience init(decoder: JSONDecoder = JSONDecoder()) {
        self.init()
        self.decoder = decoder
    }

    /// Always `nil`.
    public required init?(coder: NSCoder) {
        nil
    }

    /// The decoder for values. A copy of the serializer has its own with the same strategies.
    public var decoder: JSONDecoder {
        get { settings.withLock { $0 } }
        set { settings.withLock { $0 = newValue } }
    }

    /// The body as a `Value`. `nil` for an empty body or a single space.
    ///
    /// - Throws: ``ResponseSerializationError``; a body that does not decode (`cannotParseResponse`) has the
    ///   `DecodingError` beneath it.
    open override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        try object(of: SerializedResponse(response), data: data)
    }

    /// A serializer of the same class with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? DecodableResponseSerializer<Value>)?.decoder = Self.copy(of: decoder)
        return copy
    }

    /// False.
    open override class var supportsSecureCoding: Bool { false }

    /// Writes nothing, so that the archive is refused when it is read.
    open override func encode(with coder: NSCoder) {}

    /// A subclass of `JSONDecoder` may have more to it than can be copied here: it is shared.
    private static func copy(of decoder: JSONDecoder) -> JSONDecoder {
        guard type(of: decoder) == JSONDecoder.self else { return decoder }
        let copy = JSONDecoder()
        copy.dateDecodingStrategy = decoder.dateDecodingStrategy
        copy.dataDecodingStrategy = decoder.dataDecodingStrategy
        copy.nonConformingFloatDecodingStrategy = decoder.nonConformingFloatDecodingStrategy
        copy.keyDecodingStrategy = decoder.keyDecodingStrategy
        copy.allowsJSON5 = decoder.allowsJSON5
        copy.assumesTopLevelDictionary = decoder.assumesTopLevelDictionary
        copy.userInfo = decoder.userInfo
        return copy
    }
}

extension DecodableResponseSerializer: OwnResponseSerializer {
    package static var ownClass: HTTPResponseSerializer.Type { DecodableResponseSerializer<Value>.self }
    /// The value's `init(from:)` may be a user's, and so may a strategy of the decoder.
    package var callsNobodyElse: Bool { false }

    package final func object(of response: SerializedResponse, data: Data?) throws -> Any? {
        let decoder = decoder
        let fallback = stringEncoding
        return try parsedObject(of: response, data: data, isEmpty: JSONText.isEmpty) { data in
            let text = try JSONText.parsable(
                data, charset: response.charset, fallback: fallback, includingValues: true)
            return try decoder.decode(Value.self, from: text)
        }
    }
}
