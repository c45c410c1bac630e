// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationXML

// AFNetworking's `+serializer`, which Swift imported as `init()`: one for each class, because a subclass may have no
// `init()` that could be called here.

extension URLResponseSerialization where Self == HTTPResponseSerializer {
    /// `init()`.
    public static func serializer() -> HTTPResponseSerializer { HTTPResponseSerializer() }
}

extension URLResponseSerialization where Self == JSONResponseSerializer {
    /// `init()`.
    public static func serializer() -> JSONResponseSerializer { JSONResponseSerializer() }
}

extension URLResponseSerialization where Self == PropertyListResponseSerializer {
    /// `init()`.
    public static func serializer() -> PropertyListResponseSerializer { PropertyListResponseSerializer() }
}

extension URLResponseSerialization where Self == XMLParserResponseSerializer {
    /// `init()`.
    public static func serializer() -> XMLParserResponseSerializer { XMLParserResponseSerializer() }
}

extension URLResponseSerialization where Self == XMLDocumentResponseSerializer {
    /// `init()`.
    public static func serializer() -> XMLDocumentResponseSerializer { XMLDocumentResponseSerializer() }
}

extension JSONResponseSerializer {
    /// Forwards to `init(readingOptions:)`. AF: `+serializerWithReadingOptions:`.
    public static func serializerWithReadingOptions(
        _ readingOptions: JSONSerialization.ReadingOptions
    ) -> JSONResponseSerializer {
        JSONResponseSerializer(readingOptions: readingOptions)
    }
}

extension PropertyListResponseSerializer {
    /// Forwards to `init(format:readOptions:)`. AF: `+serializerWithFormat:readOptions:`.
    public static func serializerWithFormat(
        _ format: PropertyListSerialization.PropertyListFormat, readOptions: PropertyListSerialization.ReadOptions
    ) -> PropertyListResponseSerializer {
        PropertyListResponseSerializer(format: format, readOptions: readOptions)
    }
}

extension XMLDocumentResponseSerializer {
    /// `init(options:)`, as Swift 3 and later have it.
    public convenience init(xmlDocumentOptions mask: XMLNode.Options) {
        self.init(options: mask)
    }

    /// `init(options:)`, as Swift 1 and 2 have it.
    public convenience init(XMLDocumentOptions mask: XMLNode.Options) {
        self.init(options: mask)
    }

    /// `init(options:)` for AFNetworking's `NSUInteger`, a raw value of `XMLNode.Options`.
    @_disfavoredOverload
    public convenience init(xmlDocumentOptions mask: UInt) {
        self.init(options: XMLNode.Options(rawValue: mask))
    }
}

extension XMLDocumentResponseSerializer {
    /// `init(options:)` for AFNetworking's `NSUInteger`, as Swift 1 and 2 have it.
    @_disfavoredOverload
    public convenience init(XMLDocumentOptions mask: UInt) {
        self.init(options: XMLNode.Options(rawValue: mask))
    }
}

extension CompoundResponseSerializer {
    /// `init(responseSerializers:)`, as Swift 3 and later have it.
    ///
    /// What is no response serializer in `responseSerializers` is left out, as AFNetworking passes it over.
    public static func compoundSerializer(withResponseSerializers responseSerializers: [Any])
        -> CompoundResponseSerializer
    {
        CompoundResponseSerializer(
            responseSerializers: responseSerializers.compactMap { $0 as? any URLResponseSerialization })
    }

    /// `init(responseSerializers:)`, as Swift 1 and 2 have it.
    ///
    /// What is no response serializer in `responseSerializers` is left out, as AFNetworking passes it over.
    public static func compoundSerializerWithResponseSerializers(
        _ responseSerializers: [Any]
    ) -> CompoundResponseSerializer {
        compoundSerializer(withResponseSerializers: responseSerializers)
    }
}
