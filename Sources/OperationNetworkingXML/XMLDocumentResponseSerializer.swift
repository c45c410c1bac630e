// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
public import FoundationXML
internal import NetworkingSupport
public import OperationNetworkingSerialization

/// Validates as `HTTPResponseSerializer` does and builds an `XMLDocument`. AF: `AFXMLDocumentResponseSerializer`.
///
/// Accepts `application/xml` and `text/xml` by default. A document that is not well-formed, declares entities or other
/// types of its own or nests deeper than 256 levels is an error. External entities and external DTDs are never loaded.
// Sendable because its only stored state is behind `Locked`.
open class XMLDocumentResponseSerializer: HTTPResponseSerializer, @unchecked Sendable {
    /// Guarded by itself.
    private let settings = Locked(Settings())

    /// A serializer without options.
    public override init() {
        super.init()
        acceptableContentTypes = XMLText.mediaTypes
    }

    /// A serializer with the given options. AF: `serializerWithXMLDocumentOptions:`.
    public convenience init(options: XMLNode.Options) {
        self.init()
        self.options = options
    }

    /// A serializer from an archive. `nil` if the archive holds none or is damaged.
    public required init?(coder: NSCoder) {
        guard let stored = Settings(from: coder) else { return nil }
        super.init(coder: coder)
        settings.withLock { $0 = stored }
    }

    /// The options for `XMLDocument`. None by default. Options that load external entities have no effect.
    public var options: XMLNode.Options {
        get { XMLNode.Options(rawValue: settings.withLock { $0.options }) }
        set { settings.withLock { $0.options = newValue.rawValue } }
    }

    /// The document. `nil` if there is no body, or an empty one with a status that has none.
    ///
    /// - Throws: `ResponseSerializationError`. With a status that is not acceptable the body is parsed all the same and
    ///   the document is on the error; a parse error (`cannotParseResponse`) has `XMLParser`'s or Cocoa's 3840 beneath.
    open override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        try object(of: SerializedResponse(response), data: data)
    }

    /// On Linux `XMLDocument` makes do with what it could read of a broken document, without an error.
    private static func checkWellFormed(_ text: Data) throws {
        let parser = XMLParser(data: text)
        let parsed = parser.parse()
        if let error = parser.parserError { throw error }
        guard parsed else { throw CocoaError.unreadable("The XML document is not well-formed") }
    }

    /// A serializer of the same class with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? XMLDocumentResponseSerializer)?.options = options
        return copy
    }

    /// Writes every setting into an archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        settings.withLock { $0 }.encode(to: coder)
    }

    private struct Settings: ArchivedSettings {
        static var archiveKey: String { "XMLDocumentResponseSerializer.settings" }

        /// A raw value.
        var options: UInt = 0
    }
}

extension XMLDocumentResponseSerializer: OwnResponseSerializer {
    package static var ownClass: HTTPResponseSerializer.Type { XMLDocumentResponseSerializer.self }

    package final func object(of response: SerializedResponse, data: Data?) throws -> Any? {
        let options = options.subtracting([.nodeLoadExternalEntitiesAlways, .nodeLoadExternalEntitiesSameOriginOnly])
            .union(.nodeLoadExternalEntitiesNever)
        return try parsedObject(of: response, data: data, isEmpty: { _ in false }) { data in
            let text = try XMLText.parsable(
                data, charset: response.charset, nestingLimit: XMLText.nestingLimit)
            try Self.checkWellFormed(text)
            return try XMLDocument(data: text, options: options)
        }
    }
}
