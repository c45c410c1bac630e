// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import FoundationXML
internal import NetworkingSupport
public import OperationNetworkingSerialization

/// Validates as `HTTPResponseSerializer` does and makes an `XMLParser` for the body, not started. AF:
/// `AFXMLParserResponseSerializer`.
///
/// Accepts `application/xml` and `text/xml` by default. The document is looked over before a parser is made: one that
/// declares entities or other types of its own, nests deeper than ``maximumNestingDepth`` or is not XML in outline is an
/// error, because FoundationXML would crash on some of them. What is wrong in detail the parser reports as usual.
// Sendable because its only stored state is behind `Locked`.
open class XMLParserResponseSerializer: HTTPResponseSerializer, @unchecked Sendable {
    /// Guarded by itself.
    private let settings = Locked(Settings())

    /// A serializer for documents of up to 256 levels.
    public override init() {
        super.init()
        acceptableContentTypes = XMLText.mediaTypes
    }

    /// A serializer from an archive. `nil` if the archive holds none or is damaged.
    public required init?(coder: NSCoder) {
        guard let stored = Settings(from: coder) else { return nil }
        super.init(coder: coder)
        settings.withLock { $0 = stored }
    }

    /// The number of levels of elements that a document may have. 256 by default.
    public var maximumNestingDepth: Int {
        get { settings.withLock { $0.maximumNestingDepth } }
        set { settings.withLock { $0.maximumNestingDepth = newValue } }
    }

    /// A parser that has not been started. `nil` if there is no body, or an empty one with a status that has none.
    ///
    /// - Throws: `ResponseSerializationError`. With a status that is not acceptable the parser is on the error.
    open override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        try object(of: SerializedResponse(response), data: data)
    }

    /// A serializer of the same class with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? XMLParserResponseSerializer)?.maximumNestingDepth = maximumNestingDepth
        return copy
    }

    /// Writes every setting into an archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        settings.withLock { $0 }.encode(to: coder)
    }

    private struct Settings: ArchivedSettings {
        static var archiveKey: String { "XMLParserResponseSerializer.settings" }

        var maximumNestingDepth = XMLText.nestingLimit
    }
}

extension XMLParserResponseSerializer: OwnResponseSerializer {
    package static var ownClass: HTTPResponseSerializer.Type { XMLParserResponseSerializer.self }

    package final func object(of response: SerializedResponse, data: Data?) throws -> Any? {
        let limit = maximumNestingDepth
        return try parsedObject(of: response, data: data, isEmpty: { _ in false }) { data in
            XMLParser(data: try XMLText.parsable(data, charset: response.charset, nestingLimit: limit))
        }
    }
}
