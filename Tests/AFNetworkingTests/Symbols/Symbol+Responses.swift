// SPDX-License-Identifier: MIT
import AFNetworking

private typealias Serializer = AFHTTPResponseSerializer

extension Symbol {
    static var responses: [Symbol] {
        [
            available("AFURLResponseSerialization", "AFURLResponseSerialization") {
                (_: any AFURLResponseSerialization) in
            },
            available(
                "-[AFURLResponseSerialization responseObjectForResponse:data:error:]",
                "responseObjectForResponse(_:data:error:)", "responseObjectForResponse(_:data:)",
                "responseObject(for:data:error:)", "responseObject(for:data:)",
                note: "The last is what a subclass overrides."
            ) { (serializer: any AFURLResponseSerialization, response: URLResponse?) in
                var error: NSError?
                _ = typed(
                    AnyObject?.self, serializer.responseObjectForResponse(response, data: nil, error: &error))
                _ = try typed(AnyObject?.self, serializer.responseObjectForResponse(response, data: nil))
                _ = typed(Any?.self, serializer.responseObject(for: response, data: nil, error: nil))
                _ = try typed(Any?.self, serializer.responseObject(for: response, data: nil))
            },
            available("AFHTTPResponseSerializer", "AFHTTPResponseSerializer") { (_: AFHTTPResponseSerializer) in },
            available("AFHTTPResponseSerializer.stringEncoding", "stringEncoding") {
                (serializer: Serializer) in serializer.stringEncoding = String.Encoding.utf8.rawValue
            },
            available("AFHTTPResponseSerializer.acceptableStatusCodes", "acceptableStatusCodes") {
                (serializer: Serializer) in serializer.acceptableStatusCodes = IndexSet(integersIn: 200..<300)
            },
            available("AFHTTPResponseSerializer.acceptableContentTypes", "acceptableContentTypes") {
                (serializer: Serializer) in
                serializer.acceptableContentTypes = ["text/html"]
                serializer.acceptableContentTypes = NSSet(object: "text/html") as? Set<AnyHashable>
                serializer.acceptableContentTypes = typed(Set<String>.self, ["text/html"])
            },
            available("+[AFHTTPResponseSerializer serializer]", "serializer()", "init()") { (_: Void) in
                _ = [AFHTTPResponseSerializer.serializer(), AFHTTPResponseSerializer()]
                _ = [AFJSONResponseSerializer.serializer(), AFJSONResponseSerializer()]
                _ = [AFPropertyListResponseSerializer.serializer(), AFPropertyListResponseSerializer()]
                _ = [AFXMLParserResponseSerializer.serializer(), AFXMLParserResponseSerializer()]
                _ = [AFXMLDocumentResponseSerializer.serializer(), AFXMLDocumentResponseSerializer()]
            },
            available(
                "-[AFHTTPResponseSerializer validateResponse:data:error:]", "validateResponse(_:data:error:)",
                "validateResponse(_:data:)", "validate(_:data:)", note: "The last is what a subclass overrides."
            ) { (serializer: Serializer, response: HTTPURLResponse?) in
                var error: NSError?
                _ = typed(Bool.self, serializer.validateResponse(response, data: nil, error: &error))
                try serializer.validateResponse(response, data: nil)
                try serializer.validate(response, data: nil)
            },
            available("AFJSONResponseSerializer", "AFJSONResponseSerializer") { (_: AFJSONResponseSerializer) in },
            available("AFJSONResponseSerializer.readingOptions", "readingOptions") {
                (serializer: AFJSONResponseSerializer) in serializer.readingOptions = .mutableContainers
            },
            available("AFJSONResponseSerializer.removesKeysWithNullValues", "removesKeysWithNullValues") {
                (serializer: AFJSONResponseSerializer) in serializer.removesKeysWithNullValues = true
            },
            available(
                "+[AFJSONResponseSerializer serializerWithReadingOptions:]", "serializerWithReadingOptions(_:)",
                "init(readingOptions:)"
            ) { (_: Void) in
                _ = AFJSONResponseSerializer.serializerWithReadingOptions(.allowFragments)
                _ = AFJSONResponseSerializer(readingOptions: .allowFragments)
            },
            available("AFXMLParserResponseSerializer", "AFXMLParserResponseSerializer") {
                (_: AFXMLParserResponseSerializer) in
            },
            available("AFXMLDocumentResponseSerializer", "AFXMLDocumentResponseSerializer") {
                (_: AFXMLDocumentResponseSerializer) in
            },
            available("AFXMLDocumentResponseSerializer.options", "options") {
                (serializer: AFXMLDocumentResponseSerializer) in serializer.options = []
            },
            available(
                "+[AFXMLDocumentResponseSerializer serializerWithXMLDocumentOptions:]", "init(XMLDocumentOptions:)",
                "init(xmlDocumentOptions:)"
            ) { (_: Void) in
                _ = AFXMLDocumentResponseSerializer(XMLDocumentOptions: [])
                _ = AFXMLDocumentResponseSerializer(XMLDocumentOptions: 0)
                _ = AFXMLDocumentResponseSerializer(xmlDocumentOptions: [])
                _ = AFXMLDocumentResponseSerializer(xmlDocumentOptions: XMLNode.Options.nodePreserveAll.rawValue)
            },
            available("AFPropertyListResponseSerializer", "AFPropertyListResponseSerializer") {
                (_: AFPropertyListResponseSerializer) in
            },
            available("AFPropertyListResponseSerializer.format", "format") {
                (serializer: AFPropertyListResponseSerializer) in serializer.format = .binary
            },
            available("AFPropertyListResponseSerializer.readOptions", "readOptions") {
                (serializer: AFPropertyListResponseSerializer) in serializer.readOptions = []
            },
            available(
                "+[AFPropertyListResponseSerializer serializerWithFormat:readOptions:]",
                "serializerWithFormat(_:readOptions:)", "init(format:readOptions:)"
            ) { (_: Void) in
                _ = AFPropertyListResponseSerializer.serializerWithFormat(.xml, readOptions: [])
                _ = AFPropertyListResponseSerializer(format: .xml, readOptions: [])
            },
            available("AFCompoundResponseSerializer", "AFCompoundResponseSerializer") {
                (_: AFCompoundResponseSerializer) in
            },
            available("AFCompoundResponseSerializer.responseSerializers", "responseSerializers") {
                (serializer: AFCompoundResponseSerializer) in _ = serializer.responseSerializers.count
            },
            available(
                "+[AFCompoundResponseSerializer compoundSerializerWithResponseSerializers:]",
                "compoundSerializerWithResponseSerializers(_:)", "compoundSerializer(withResponseSerializers:)"
            ) { (members: [AFHTTPResponseSerializer]) in
                _ = AFCompoundResponseSerializer.compoundSerializerWithResponseSerializers(members)
                _ = AFCompoundResponseSerializer.compoundSerializer(withResponseSerializers: members)
            },
            available("AFURLResponseSerializationErrorDomain", "AFURLResponseSerializationErrorDomain") { (_: Void) in
                _ = typed(String.self, AFURLResponseSerializationErrorDomain)
            },
            available(
                "AFNetworkingOperationFailingURLResponseErrorKey", "AFNetworkingOperationFailingURLResponseErrorKey"
            ) { (_: Void) in
                _ = typed(String.self, AFNetworkingOperationFailingURLResponseErrorKey)
            },
            available(
                "AFNetworkingOperationFailingURLResponseDataErrorKey",
                "AFNetworkingOperationFailingURLResponseDataErrorKey"
            ) { (_: Void) in
                _ = typed(String.self, AFNetworkingOperationFailingURLResponseDataErrorKey)
            },
        ]
    }
}
