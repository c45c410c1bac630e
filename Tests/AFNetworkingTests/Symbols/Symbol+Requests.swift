// SPDX-License-Identifier: MIT
import AFNetworking

private typealias Serializer = AFHTTPRequestSerializer

extension Symbol {
    static var requests: [Symbol] {
        [
            available("AFURLRequestSerialization", "AFURLRequestSerialization") { (_: any AFURLRequestSerialization) in
            },
            available("AFHTTPRequestQueryStringSerializationStyle", "AFHTTPRequestQueryStringSerializationStyle") {
                (_: AFHTTPRequestQueryStringSerializationStyle) in
            },
            available("AFHTTPRequestQueryStringDefaultStyle", "DefaultStyle", "defaultStyle") { (_: Void) in
                _ = [AFHTTPRequestQueryStringSerializationStyle.DefaultStyle, .defaultStyle]
            },
            available("AFHTTPRequestSerializer", "AFHTTPRequestSerializer") { (_: AFHTTPRequestSerializer) in },
            available("AFHTTPRequestSerializer.stringEncoding", "stringEncoding") {
                (serializer: Serializer) in serializer.stringEncoding = String.Encoding.utf8.rawValue
            },
            available("AFHTTPRequestSerializer.allowsCellularAccess", "allowsCellularAccess", note: "Optional.") {
                (serializer: Serializer) in serializer.allowsCellularAccess = false
            },
            available("AFHTTPRequestSerializer.cachePolicy", "cachePolicy", note: "Optional.") {
                (serializer: Serializer) in serializer.cachePolicy = .reloadIgnoringLocalCacheData
            },
            available(
                "AFHTTPRequestSerializer.HTTPShouldHandleCookies", "HTTPShouldHandleCookies", "httpShouldHandleCookies",
                note: "The latter is optional."
            ) { (serializer: Serializer) in
                serializer.HTTPShouldHandleCookies = !serializer.HTTPShouldHandleCookies
                serializer.httpShouldHandleCookies = false
            },
            available(
                "AFHTTPRequestSerializer.HTTPShouldUsePipelining", "HTTPShouldUsePipelining", "httpShouldUsePipelining",
                note: "The latter is optional."
            ) { (serializer: Serializer) in
                serializer.HTTPShouldUsePipelining = !serializer.HTTPShouldUsePipelining
                serializer.httpShouldUsePipelining = true
            },
            available("AFHTTPRequestSerializer.networkServiceType", "networkServiceType", note: "Optional.") {
                (serializer: Serializer) in serializer.networkServiceType = .background
            },
            available("AFHTTPRequestSerializer.timeoutInterval", "timeoutInterval", note: "Optional.") {
                (serializer: Serializer) in serializer.timeoutInterval = 10
            },
            available("AFHTTPRequestSerializer.HTTPRequestHeaders", "HTTPRequestHeaders", "httpRequestHeaders") {
                (serializer: Serializer) in
                _ = [serializer.HTTPRequestHeaders["Accept"], serializer.httpRequestHeaders["Accept"]]
            },
            available(
                "AFHTTPRequestSerializer.HTTPMethodsEncodingParametersInURI", "HTTPMethodsEncodingParametersInURI",
                "httpMethodsEncodingParametersInURI"
            ) { (serializer: Serializer) in
                serializer.HTTPMethodsEncodingParametersInURI = ["GET", "HEAD"]
                serializer.httpMethodsEncodingParametersInURI = ["GET", "HEAD"]
            },
            available("AFJSONRequestSerializer", "AFJSONRequestSerializer") { (_: AFJSONRequestSerializer) in },
            available("AFJSONRequestSerializer.writingOptions", "writingOptions") {
                (serializer: AFJSONRequestSerializer) in serializer.writingOptions = .prettyPrinted
            },
            available(
                "+[AFJSONRequestSerializer serializerWithWritingOptions:]", "serializerWithWritingOptions(_:)",
                "init(writingOptions:)"
            ) { (options: JSONSerialization.WritingOptions) in
                _ = AFJSONRequestSerializer.serializerWithWritingOptions(options)
                _ = AFJSONRequestSerializer(writingOptions: options)
            },
            available("AFPropertyListRequestSerializer", "AFPropertyListRequestSerializer") {
                (_: AFPropertyListRequestSerializer) in
            },
            available("AFPropertyListRequestSerializer.format", "format") {
                (serializer: AFPropertyListRequestSerializer) in serializer.format = .binary
            },
            available("AFPropertyListRequestSerializer.writeOptions", "writeOptions") {
                (serializer: AFPropertyListRequestSerializer) in serializer.writeOptions = 0
            },
            available(
                "+[AFPropertyListRequestSerializer serializerWithFormat:writeOptions:]",
                "serializerWithFormat(_:writeOptions:)", "init(format:writeOptions:)"
            ) { (_: Void) in
                _ = AFPropertyListRequestSerializer.serializerWithFormat(.xml, writeOptions: 0)
                _ = AFPropertyListRequestSerializer(format: .xml, writeOptions: 0)
            },
            available("AFURLRequestSerializationErrorDomain", "AFURLRequestSerializationErrorDomain") { (_: Void) in
                _ = typed(String.self, AFURLRequestSerializationErrorDomain)
            },
            available(
                "AFNetworkingOperationFailingURLRequestErrorKey", "AFNetworkingOperationFailingURLRequestErrorKey"
            ) { (_: Void) in
                _ = typed(String.self, AFNetworkingOperationFailingURLRequestErrorKey)
            },
            available("kAFUploadStream3GSuggestedPacketSize", "kAFUploadStream3GSuggestedPacketSize") { (_: Void) in
                _ = typed(UInt.self, kAFUploadStream3GSuggestedPacketSize)
            },
            available("kAFUploadStream3GSuggestedDelay", "kAFUploadStream3GSuggestedDelay") { (_: Void) in
                _ = typed(TimeInterval.self, kAFUploadStream3GSuggestedDelay)
            },
        ]
    }
}
