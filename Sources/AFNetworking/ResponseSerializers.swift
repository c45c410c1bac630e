public import Foundation
public import FoundationNetworking
public import FoundationXML

// MARK: Creating

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
    /// `init(readingOptions:)`: AFNetworking's `+serializerWithReadingOptions:`.
    public static func serializerWithReadingOptions(
        _ readingOptions: JSONSerialization.ReadingOptions
    ) -> JSONResponseSerializer {
        JSONResponseSerializer(readingOptions: readingOptions)
    }
}

extension PropertyListResponseSerializer {
    /// `init(format:readOptions:)`: AFNetworking's `+serializerWithFormat:readOptions:`.
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
}

extension CompoundResponseSerializer {
    /// `init(responseSerializers:)`, as Swift 3 and later have it.
    ///
    /// - Parameter responseSerializers: what is no response serializer is left out, as AFNetworking passes it over.
    public static func compoundSerializer(withResponseSerializers responseSerializers: [Any])
        -> CompoundResponseSerializer
    {
        CompoundResponseSerializer(
            responseSerializers: responseSerializers.compactMap { $0 as? any URLResponseSerialization })
    }

    /// `init(responseSerializers:)`, as Swift 1 and 2 have it.
    ///
    /// - Parameter responseSerializers: what is no response serializer is left out, as AFNetworking passes it over.
    public static func compoundSerializerWithResponseSerializers(
        _ responseSerializers: [Any]
    ) -> CompoundResponseSerializer {
        compoundSerializer(withResponseSerializers: responseSerializers)
    }
}

// MARK: Using

extension URLResponseSerialization {
    /// `responseObject(for:data:)`, as Swift 2 has it.
    ///
    /// - Throws: as `responseObject(for:data:)`.
    public func responseObjectForResponse(_ response: URLResponse?, data: Data?) throws -> AnyObject? {
        try responseObject(for: response, data: data).map { $0 as AnyObject }
    }

    /// `responseObject(for:data:)`, as Swift 1 has it.
    ///
    /// - Parameter error: where the error is put; nil: it is lost.
    /// - Returns: the object, with an error beside it when only the status was refused.
    public func responseObjectForResponse(
        _ response: URLResponse?, data: Data?, error: NSErrorPointer
    ) -> AnyObject? {
        responseObject(for: response, data: data, error: error).map { $0 as AnyObject }
    }

    /// `responseObject(for:data:)`, as Swift 3 and later have it.
    ///
    /// - Parameter error: where the error is put; nil: it is lost.
    /// - Returns: the object, with an error beside it when only the status was refused.
    public func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
        do {
            return try responseObject(for: response, data: data)
        } catch let thrown {
            error?.pointee = thrown as NSError
            return (thrown as? ResponseSerializationError)?.responseObject
        }
    }
}

extension HTTPResponseSerializer {
    /// `validate(_:data:)`, as Swift 2 has it.
    ///
    /// - Throws: as `validate(_:data:)`.
    public func validateResponse(_ response: HTTPURLResponse?, data: Data?) throws {
        try validate(response, data: data)
    }

    /// `validate(_:data:)`, as Swift 1 has it.
    ///
    /// - Parameter error: where the error is put; nil: it is lost.
    /// - Returns: whether the response is acceptable.
    public func validateResponse(_ response: HTTPURLResponse?, data: Data?, error: NSErrorPointer) -> Bool {
        Forward.result(error) { try validate(response, data: data) } != nil
    }
}
