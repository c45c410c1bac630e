// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

// AFNetworking makes requests without throwing, also when it cannot: its Swift functions are not marked so. The request
// that stands for one that could not be made has the URL `unserialized-request:`; an operation with it ends with
// `URLError.unsupportedURL`, and sends nothing.

extension HTTPRequestSerializer {
    // MARK: Swift 3 and later

    /// `request(withMethod:urlString:parameters:)` for callers that do not catch.
    ///
    /// `error` is where the error is put; nil: it is lost.
    /// The result is one that cannot be sent when there is an error.
    public func request(
        withMethod method: String, urlString: String, parameters: Any?, error: NSErrorPointer
    ) -> NSMutableURLRequest {
        .made(error) { try request(withMethod: method, urlString: urlString, parameters: parameters) }
    }

    /// `multipartFormRequest(withMethod:urlString:parameters:constructingBodyWith:)` for callers that do not catch.
    ///
    /// `error` is where the error is put; nil: it is lost.
    /// The result is one that cannot be sent when there is an error.
    public func multipartFormRequest(
        withMethod method: String, urlString: String, parameters: [String: Any]?,
        constructingBodyWith block: ((any MultipartFormData) throws -> Void)?, error: NSErrorPointer
    ) -> NSMutableURLRequest {
        .made(error) {
            try multipartFormRequest(
                withMethod: method, urlString: urlString, parameters: parameters, constructingBodyWith: block)
        }
    }

    /// `request(bySerializing:withParameters:)` for callers that do not catch.
    ///
    /// `error` is where the error is put; nil: it is lost.
    /// The result is nil when there is an error.
    public func request(
        bySerializing request: URLRequest, withParameters parameters: Any?, error: NSErrorPointer
    ) -> URLRequest? {
        Forward.result(error) { try self.request(bySerializing: request, withParameters: parameters) }
    }

    /// `request(bySerializing:withParameters:)`, as Swift 3 and later have it, for callers that do not catch.
    ///
    /// `error` is where the error is put; nil: it is lost.
    /// The result is nil when there is an error.
    public func request(
        bySerializingRequest request: URLRequest, withParameters parameters: Any?, error: NSErrorPointer
    ) -> URLRequest? {
        self.request(bySerializing: request, withParameters: parameters, error: error)
    }

    /// `request(bySerializing:withParameters:)`, as Swift 3 has it.
    public func request(
        bySerializingRequest request: URLRequest, withParameters parameters: Any?
    ) throws -> URLRequest {
        try self.request(bySerializing: request, withParameters: parameters)
    }

    /// `request(withMultipartFormRequest:writingStreamContentsToFile:completionHandler:)`, as Swift 3 and later have it.
    @preconcurrency @discardableResult
    public func request(
        withMultipartForm request: URLRequest, writingStreamContentsToFile fileURL: URL,
        completionHandler handler: (@Sendable ((any Error)?) -> Void)? = nil
    ) -> NSMutableURLRequest {
        .copy(
            of: self.request(
                withMultipartFormRequest: request, writingStreamContentsToFile: fileURL, completionHandler: handler))
    }

    // MARK: Swift 1 and 2

    /// `request(withMethod:urlString:parameters:)`, as Swift 1 and 2 have it.
    ///
    /// - Returns: one that cannot be sent when it could not be made.
    public func requestWithMethod(_ method: String, URLString: String, parameters: Any?) -> NSMutableURLRequest {
        request(withMethod: method, urlString: URLString, parameters: parameters, error: nil)
    }

    /// `request(withMethod:urlString:parameters:)`, as Swift 1 and 2 have it.
    ///
    /// `error` is where the error is put; nil: it is lost.
    /// The result is one that cannot be sent when there is an error.
    public func requestWithMethod(
        _ method: String, URLString: String, parameters: Any?, error: NSErrorPointer
    ) -> NSMutableURLRequest {
        request(withMethod: method, urlString: URLString, parameters: parameters, error: error)
    }

    /// `multipartFormRequest(withMethod:urlString:parameters:constructingBodyWith:)`, as Swift 1 and 2 have it.
    ///
    /// - Returns: one that cannot be sent when it could not be made.
    public func multipartFormRequestWithMethod(
        _ method: String, URLString: String, parameters: [String: Any]?,
        constructingBodyWithBlock block: ((any MultipartFormData) throws -> Void)?
    ) -> NSMutableURLRequest {
        multipartFormRequest(
            withMethod: method, urlString: URLString, parameters: parameters, constructingBodyWith: block, error: nil)
    }

    /// `multipartFormRequest(withMethod:urlString:parameters:constructingBodyWith:)`, as Swift 1 and 2 have it.
    ///
    /// `error` is where the error is put; nil: it is lost.
    /// The result is one that cannot be sent when there is an error.
    public func multipartFormRequestWithMethod(
        _ method: String, URLString: String, parameters: [String: Any]?,
        constructingBodyWithBlock block: ((any MultipartFormData) throws -> Void)?, error: NSErrorPointer
    ) -> NSMutableURLRequest {
        multipartFormRequest(
            withMethod: method, urlString: URLString, parameters: parameters, constructingBodyWith: block, error: error)
    }

    /// `request(withMultipartFormRequest:writingStreamContentsToFile:completionHandler:)`, as Swift 1 and 2 have it.
    @preconcurrency
    public func requestWithMultipartFormRequest(
        _ request: NSURLRequest, writingStreamContentsToFile fileURL: URL,
        completionHandler handler: (@Sendable (NSError?) -> Void)?
    ) -> NSMutableURLRequest {
        var completion: (@Sendable ((any Error)?) -> Void)?
        if let handler { completion = { handler($0.map { $0 as NSError }) } }
        return .copy(
            of: self.request(
                withMultipartFormRequest: Forward.request(request), writingStreamContentsToFile: fileURL,
                completionHandler: completion))
    }

    /// `request(bySerializing:withParameters:)`, as Swift 2 has it.
    public func requestBySerializingRequest(
        _ request: NSURLRequest, withParameters parameters: Any?
    ) throws -> NSURLRequest {
        try self.request(bySerializing: Forward.request(request), withParameters: parameters) as NSURLRequest
    }

    /// `request(bySerializing:withParameters:)`, as Swift 1 has it.
    ///
    /// `error` is where the error is put; nil: it is lost.
    /// The result is nil when there is an error.
    public func requestBySerializingRequest(
        _ request: NSURLRequest, withParameters parameters: Any?, error: NSErrorPointer
    ) -> NSURLRequest? {
        Forward.result(error) { try requestBySerializingRequest(request, withParameters: parameters) }
    }
}

extension NSMutableURLRequest {
    /// The request that `body` makes, or one that cannot be sent.
    fileprivate static func made(_ error: NSErrorPointer, _ body: () throws -> URLRequest) -> NSMutableURLRequest {
        copy(of: Forward.result(error, body) ?? Forward.unsendable)
    }

    fileprivate static func copy(of request: URLRequest) -> NSMutableURLRequest {
        (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest ?? NSMutableURLRequest(url: Forward.nowhere)
    }
}
