// SPDX-License-Identifier: MIT
import AFNetworking

private typealias Serializer = AFHTTPRequestSerializer

extension Symbol {
    static var requestMethods: [Symbol] {
        headers + making
    }

    private static var headers: [Symbol] {
        [
            available("+[AFHTTPRequestSerializer serializer]", "serializer()", "init()") { (_: Void) in
                _ = [AFHTTPRequestSerializer.serializer(), AFHTTPRequestSerializer()]
                _ = [AFJSONRequestSerializer.serializer(), AFJSONRequestSerializer()]
                _ = [AFPropertyListRequestSerializer.serializer(), AFPropertyListRequestSerializer()]
            },
            available("-[AFHTTPRequestSerializer setValue:forHTTPHeaderField:]", "setValue(_:forHTTPHeaderField:)") {
                (serializer: Serializer) in serializer.setValue("1", forHTTPHeaderField: "X")
            },
            available(
                "-[AFHTTPRequestSerializer valueForHTTPHeaderField:]", "valueForHTTPHeaderField(_:)",
                "value(forHTTPHeaderField:)"
            ) { (serializer: Serializer) in
                _ = [serializer.valueForHTTPHeaderField("X"), serializer.value(forHTTPHeaderField: "X")]
            },
            available(
                "-[AFHTTPRequestSerializer setAuthorizationHeaderFieldWithUsername:password:]",
                "setAuthorizationHeaderFieldWithUsername(_:password:)"
            ) { (serializer: Serializer) in
                serializer.setAuthorizationHeaderFieldWithUsername("u", password: "p")
            },
            available(
                "-[AFHTTPRequestSerializer setAuthorizationHeaderFieldWithToken:]",
                "setAuthorizationHeaderFieldWithToken(_:)"
            ) { (serializer: Serializer) in
                serializer.setAuthorizationHeaderFieldWithToken("t")
            },
            available("-[AFHTTPRequestSerializer clearAuthorizationHeader]", "clearAuthorizationHeader()") {
                (serializer: Serializer) in serializer.clearAuthorizationHeader()
            },
            available(
                "-[AFHTTPRequestSerializer setQueryStringSerializationWithStyle:]",
                "setQueryStringSerializationWithStyle(_:)", "setQueryStringSerializationWith(_:)"
            ) { (serializer: Serializer) in
                serializer.setQueryStringSerializationWithStyle(.DefaultStyle)
                serializer.setQueryStringSerializationWith(.defaultStyle)
            },
            available(
                "-[AFHTTPRequestSerializer setQueryStringSerializationWithBlock:]",
                "setQueryStringSerializationWithBlock(_:)", "setQueryStringSerializationWith(_:)"
            ) { (serializer: Serializer) in
                serializer.setQueryStringSerializationWithBlock {
                    (_: NSURLRequest!, _: AnyObject!, error: NSErrorPointer) -> String? in
                    error?.pointee = NSError(domain: "d", code: 1)
                    return nil
                }
                serializer.setQueryStringSerializationWith { (_: URLRequest, _: Any, _: NSErrorPointer) -> String in "q"
                }
                serializer.setQueryStringSerializationWith { _, _, _ in "q" }
            },
        ]
    }

    private static var making: [Symbol] {
        [
            available(
                "-[AFURLRequestSerialization requestBySerializingRequest:withParameters:error:]",
                "requestBySerializingRequest(_:withParameters:)",
                "request(bySerializingRequest:withParameters:error:)", "request(bySerializing:withParameters:)",
                note: "The last is what a subclass overrides."
            ) { (serializer: Serializer, request: URLRequest) in
                var error: NSError?
                _ = serializer.requestBySerializingRequest(request as NSURLRequest, withParameters: nil, error: &error)
                _ = try serializer.requestBySerializingRequest(request as NSURLRequest, withParameters: nil)
                _ = serializer.request(bySerializingRequest: request, withParameters: nil, error: &error)
                _ = try serializer.request(bySerializingRequest: request, withParameters: nil)
                _ = serializer.request(bySerializing: request, withParameters: nil, error: &error)
                let any: any AFURLRequestSerialization = serializer
                _ = try any.request(bySerializing: request, withParameters: nil)
            },
            available(
                "-[AFHTTPRequestSerializer requestWithMethod:URLString:parameters:]",
                "requestWithMethod(_:URLString:parameters:)"
            ) { (serializer: Serializer) in
                _ = typed(
                    NSMutableURLRequest.self, serializer.requestWithMethod("GET", URLString: "x", parameters: nil))
            },
            available(
                "-[AFHTTPRequestSerializer requestWithMethod:URLString:parameters:error:]",
                "requestWithMethod(_:URLString:parameters:error:)", "request(withMethod:urlString:parameters:error:)"
            ) { (serializer: Serializer) in
                var error: NSError?
                _ = serializer.requestWithMethod("GET", URLString: "x", parameters: ["a": 1], error: &error)
                _ = serializer.request(withMethod: "GET", urlString: "x", parameters: ["a": 1], error: nil)
            },
            available(
                "-[AFHTTPRequestSerializer multipartFormRequestWithMethod:URLString:parameters:constructingBodyWithBlock:]",
                "multipartFormRequestWithMethod(_:URLString:parameters:constructingBodyWithBlock:)"
            ) { (serializer: Serializer) in
                _ = serializer.multipartFormRequestWithMethod(
                    "POST", URLString: "x", parameters: nil,
                    constructingBodyWithBlock: { (_: (any AFMultipartFormData)!) in })
            },
            available(
                "-[AFHTTPRequestSerializer "
                    + "multipartFormRequestWithMethod:URLString:parameters:constructingBodyWithBlock:error:]",
                "multipartFormRequestWithMethod(_:URLString:parameters:constructingBodyWithBlock:error:)",
                "multipartFormRequest(withMethod:urlString:parameters:constructingBodyWith:error:)"
            ) { (serializer: Serializer) in
                var error: NSError?
                _ = serializer.multipartFormRequestWithMethod(
                    "POST", URLString: "x", parameters: nil, constructingBodyWithBlock: { _ in }, error: &error)
                _ = serializer.multipartFormRequest(
                    withMethod: "POST", urlString: "x", parameters: nil, constructingBodyWith: { _ in }, error: nil)
            },
            available(
                "-[AFHTTPRequestSerializer "
                    + "requestWithMultipartFormRequest:writingStreamContentsToFile:completionHandler:]",
                "requestWithMultipartFormRequest(_:writingStreamContentsToFile:completionHandler:)",
                "request(withMultipartForm:writingStreamContentsToFile:completionHandler:)"
            ) { (serializer: Serializer, request: URLRequest, file: URL) in
                _ = serializer.requestWithMultipartFormRequest(
                    request as NSURLRequest, writingStreamContentsToFile: file, completionHandler: { (_: NSError!) in })
                _ = typed(
                    NSMutableURLRequest.self,
                    serializer.request(withMultipartForm: request, writingStreamContentsToFile: file) { (_: Error?) in }
                )
                serializer.request(withMultipartForm: request, writingStreamContentsToFile: file)
            },
        ]
    }

    static var forms: [Symbol] {
        [
            available("AFMultipartFormData", "AFMultipartFormData") { (_: any AFMultipartFormData) in },
            available(
                "-[AFMultipartFormData appendPartWithFileURL:name:error:]", "appendPartWithFileURL(_:name:)",
                "appendPartWithFileURL(_:name:error:)", "appendPart(withFileURL:name:)"
            ) { (form: any AFMultipartFormData, file: URL) in
                try form.appendPartWithFileURL(file, name: "n")
                _ = typed(Bool.self, form.appendPartWithFileURL(file, name: "n", error: nil))
                try form.appendPart(withFileURL: file, name: "n")
            },
            available(
                "-[AFMultipartFormData appendPartWithFileURL:name:fileName:mimeType:error:]",
                "appendPartWithFileURL(_:name:fileName:mimeType:)", "appendPart(withFileURL:name:fileName:mimeType:)"
            ) { (form: any AFMultipartFormData, file: URL) in
                try form.appendPartWithFileURL(file, name: "n", fileName: "f", mimeType: "m")
                _ = typed(
                    Bool.self, form.appendPartWithFileURL(file, name: "n", fileName: "f", mimeType: "m", error: nil))
                try form.appendPart(withFileURL: file, name: "n", fileName: "f", mimeType: "m")
            },
            available(
                "-[AFMultipartFormData appendPartWithInputStream:name:fileName:length:mimeType:]",
                "appendPartWithInputStream(_:name:fileName:length:mimeType:)",
                "appendPart(with:name:fileName:length:mimeType:)"
            ) { (form: any AFMultipartFormData) in
                form.appendPartWithInputStream(nil, name: "n", fileName: "f", length: 0, mimeType: "m")
                form.appendPart(with: nil, name: "n", fileName: "f", length: 0, mimeType: "m")
            },
            available(
                "-[AFMultipartFormData appendPartWithFileData:name:fileName:mimeType:]",
                "appendPartWithFileData(_:name:fileName:mimeType:)", "appendPart(withFileData:name:fileName:mimeType:)"
            ) { (form: any AFMultipartFormData) in
                form.appendPartWithFileData(Data(), name: "n", fileName: "f", mimeType: "m")
                form.appendPart(withFileData: Data(), name: "n", fileName: "f", mimeType: "m")
            },
            available(
                "-[AFMultipartFormData appendPartWithFormData:name:]", "appendPartWithFormData(_:name:)",
                "appendPart(withForm:name:)"
            ) { (form: any AFMultipartFormData) in
                form.appendPartWithFormData(Data(), name: "n")
                form.appendPart(withForm: Data(), name: "n")
            },
            available(
                "-[AFMultipartFormData appendPartWithHeaders:body:]", "appendPartWithHeaders(_:body:)",
                "appendPart(withHeaders:body:)"
            ) { (form: any AFMultipartFormData) in
                form.appendPartWithHeaders(nil, body: Data())
                form.appendPart(withHeaders: ["X": "1"], body: Data())
            },
            available(
                "-[AFMultipartFormData throttleBandwidthWithPacketSize:delay:]",
                "throttleBandwidthWithPacketSize(_:delay:)", "throttleBandwidth(withPacketSize:delay:)"
            ) { (form: any AFMultipartFormData) in
                form.throttleBandwidthWithPacketSize(
                    kAFUploadStream3GSuggestedPacketSize, delay: kAFUploadStream3GSuggestedDelay)
                form.throttleBandwidth(
                    withPacketSize: kAFUploadStream3GSuggestedPacketSize, delay: kAFUploadStream3GSuggestedDelay)
                form.throttleBandwidth(withPacketSize: 1024, delay: 0.1)
            },
        ]
    }
}
