// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport

/// Validates as ``HTTPResponseSerializer`` does and parses a property list. AF: `AFPropertyListResponseSerializer`.
///
/// Accepts `application/x-plist` by default. Text is in the encoding that its first bytes show, else in the one that
/// the response names, else in the one that the list itself does, else in UTF-8. Lists nested deeper than 512 levels,
/// and binary ones that are damaged, hold what a property list cannot, or expand to a multiple of their size or to more
/// than about four million values, are an error; so are those with more than 128 combining marks in a row.
// Sendable because its only stored state is behind `Locked`.
open class PropertyListResponseSerializer: HTTPResponseSerializer, @unchecked Sendable {
    /// Guarded by itself.
    private let settings = Locked(Settings())

    /// A serializer of format `.xml` with no read options.
    public override init() {
        super.init()
        acceptableContentTypes = ["application/x-plist"]
    }

    /// A serializer with the given format and read options. AF: `serializerWithFormat:readOptions:`.
    public convenience init(
        format: PropertyListSerialization.PropertyListFormat,
        readOptions: PropertyListSerialization.ReadOptions = []
    ) {
        self.init()
        self.format = format
        self.readOptions = readOptions
    }

    /// A serializer from an archive. `nil` if the archive holds none or is damaged.
    public required init?(coder: NSCoder) {
        guard let stored = Settings(from: coder) else { return nil }
        super.init(coder: coder)
        settings.withLock { $0 = stored }
    }

    /// The format expected. XML by default. Kept for AFNetworking's sake: a list in any format is read.
    public var format: PropertyListSerialization.PropertyListFormat {
        get { PropertyListSerialization.PropertyListFormat(rawValue: settings.withLock { $0.format }) ?? .xml }
        set { settings.withLock { $0.format = newValue.rawValue } }
    }

    /// The options for `PropertyListSerialization`. None by default.
    public var readOptions: PropertyListSerialization.ReadOptions {
        get { PropertyListSerialization.ReadOptions(rawValue: settings.withLock { $0.readOptions }) }
        set { settings.withLock { $0.readOptions = newValue.rawValue } }
    }

    /// The parsed body. `nil` if there is no body, or an empty one with a status that has no content. Any other empty
    /// body is an error.
    ///
    /// - Throws: ``ResponseSerializationError``. With a status that is not acceptable the body is parsed all the same
    ///   and the object is on the error; a parse error (`cannotParseResponse`) has Cocoa's 3840 beneath it.
    open override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        try object(of: SerializedResponse(response), data: data)
    }

    /// A serializer of the same class with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? PropertyListResponseSerializer)?.adopt(settings.withLock { $0 })
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
        static var archiveKey: String { "PropertyListResponseSerializer.settings" }

        /// Raw values.
        var format = PropertyListSerialization.PropertyListFormat.xml.rawValue
        var readOptions: UInt = 0
    }
}

extension PropertyListResponseSerializer: OwnResponseSerializer {
    package static var ownClass: HTTPResponseSerializer.Type { PropertyListResponseSerializer.self }

    package final func object(of response: SerializedResponse, data: Data?) throws -> Any? {
        let options = readOptions
        return try parsedObject(of: response, data: data, isEmpty: { _ in false }) { data in
            let list: Data
            if BinaryPropertyList.isBinary(data) {
                try BinaryPropertyList.check(data)
                list = data
            } else {
                list = try TextRuns.parsablePropertyList(data, charset: response.charset)
            }
            return try PropertyListSerialization.propertyList(from: list, options: options, format: nil)
        }
    }
}
