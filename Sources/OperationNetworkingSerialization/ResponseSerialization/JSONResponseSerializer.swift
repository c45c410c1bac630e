// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport

/// Validates as ``HTTPResponseSerializer`` does and parses JSON with `JSONSerialization`. AF:
/// `AFJSONResponseSerializer`.
///
/// Accepts `application/json`, `text/json` and `text/javascript` by default. An empty body, and one that is a single
/// space, give `nil` without an error. A body in another charset than UTF-8 is parsed as its byte order mark or its
/// `Content-Type` says. One with a key of more than 128 combining marks in a row is an error, because hashing that
/// would take quadratic time.
///
/// ```swift
/// let serializer = JSONResponseSerializer()
/// serializer.removesKeysWithNullValues = true
/// manager.responseSerializer = serializer
/// ```
// Sendable because its only stored state is behind `Locked`.
open class JSONResponseSerializer: HTTPResponseSerializer, @unchecked Sendable {
    /// Guarded by itself.
    private let settings = Locked(Settings())

    /// A serializer with reading options 0 that keeps nulls.
    public override init() {
        super.init()
        acceptableContentTypes = JSONText.mediaTypes
    }

    /// A serializer with the given reading options. AF: `serializerWithReadingOptions:`.
    public convenience init(readingOptions: JSONSerialization.ReadingOptions = []) {
        self.init()
        self.readingOptions = readingOptions
    }

    /// A serializer from an archive. `nil` if the archive holds none or is damaged.
    public required init?(coder: NSCoder) {
        guard let stored = Settings(from: coder) else { return nil }
        super.init(coder: coder)
        settings.withLock { $0 = stored }
    }

    /// The options for `JSONSerialization`. None by default, so that a top-level string or number is an error.
    public var readingOptions: JSONSerialization.ReadingOptions {
        get { JSONSerialization.ReadingOptions(rawValue: settings.withLock { $0.readingOptions }) }
        set { settings.withLock { $0.readingOptions = newValue.rawValue } }
    }

    /// True if nulls are taken out of dictionaries and arrays, at every depth. False by default.
    public var removesKeysWithNullValues: Bool {
        get { settings.withLock { $0.removesKeysWithNullValues } }
        set { settings.withLock { $0.removesKeysWithNullValues = newValue } }
    }

    /// The number of levels of arrays and dictionaries that a body may have. 512 by default, and never more than that.
    public var maximumNestingDepth: Int {
        get { settings.withLock { $0.maximumNestingDepth } }
        set { settings.withLock { $0.maximumNestingDepth = newValue } }
    }

    /// The parsed body. `nil` for an empty body or a single space.
    ///
    /// - Throws: ``ResponseSerializationError``. With a status that is not acceptable the body is parsed all the same
    ///   and the object is on the error; a parse error (`cannotParseResponse`) has Cocoa's 3840 beneath it.
    open override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        try object(of: SerializedResponse(response), data: data)
    }

    /// A serializer of the same class with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? JSONResponseSerializer)?.adopt(settings.withLock { $0 })
        return copy
    }

    /// Writes every setting into an archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        settings.withLock { $0 }.encode(to: coder)
    }

    private func adopt(_ new: Settings) {
        settings.withLock { $0 = new }
    }

    private struct Settings: ArchivedSettings {
        static var archiveKey: String { "JSONResponseSerializer.settings" }

        var readingOptions: UInt = 0
        var removesKeysWithNullValues = false
        var maximumNestingDepth = JSONText.foundationsNestingLimit
    }
}

extension JSONResponseSerializer: OwnResponseSerializer {
    package static var ownClass: HTTPResponseSerializer.Type { JSONResponseSerializer.self }

    package final func object(of response: SerializedResponse, data: Data?) throws -> Any? {
        let settings = settings.withLock { $0 }
        let fallback = stringEncoding
        return try parsedObject(of: response, data: data, isEmpty: JSONText.isEmpty) { data in
            let options = JSONSerialization.ReadingOptions(rawValue: settings.readingOptions)
            let text = try JSONText.parsable(
                data, charset: response.charset, fallback: fallback, nestingLimit: settings.maximumNestingDepth)
            let object = try JSONSerialization.jsonObject(with: text, options: options)
            guard settings.removesKeysWithNullValues else { return object }
            return jsonObject(byRemovingKeysWithNullValuesFrom: object, readingOptions: options)
        }
    }
}
