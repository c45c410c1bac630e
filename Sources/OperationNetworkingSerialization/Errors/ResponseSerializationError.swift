// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

/// An error of validating a response or turning its body into an object.
///
/// Seen as an `NSError` it has AFNetworking's domain (``URLResponseSerializationErrorDomain``), code and `userInfo`
/// keys. Response, body and, if the body parsed, the object are on this error itself, whatever lies underneath.
///
/// Two errors are equal when their codes are.
public struct ResponseSerializationError: NetworkingError {
    /// The kind of error. The numbers are `NSURLErrorDomain`'s.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number an `NSError` shows.
        public let rawValue: Int

        /// A code by its number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The status code is not among the acceptable ones (−1011).
        public static let badServerResponse = Code(rawValue: -1011)
        /// The content type is not among the acceptable ones (−1016).
        public static let cannotDecodeContentData = Code(rawValue: -1016)
        /// The body is not what its content type says (−1017). ``ResponseSerializationError/underlyingError`` is the
        /// parser's error (Cocoa 3840 for JSON and property lists, a `DecodingError` for `Decodable` values).
        public static let cannotParseResponse = Code(rawValue: -1017)
    }

    /// The kind of error.
    public let code: Code
    /// The response, if there was one.
    public let response: URLResponse?
    /// The body, if there was one in memory.
    public let data: Data?
    /// The parser's error, or the content-type or parse error beneath a bad status.
    public let underlyingError: (any Error)?
    private let object: ParsedObject
    /// The failure without the request, with the status and its phrase.
    public let reason: String
    /// Data to go on with a session manager's download.
    ///
    /// They are there (else `nil`) when part of the file had come, and the server answered the request for the rest
    /// with 408, 425, 429, or 500 and above. They are for
    /// ``URLSessionManager/downloadTask(withResumeData:progress:destination:completionHandler:)``.
    public private(set) var downloadTaskResumeData: Data?
    /// The request's method, once the error is an operation's.
    private var method: String?

    /// The object that the body of a refused response parsed to, such as an API's error document.
    public var responseObject: Any? { object.value }

    /// An error for a subclass of ``HTTPResponseSerializer`` to throw.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: One sentence, ``reason``; `nil` gives one that fits the code.
    ///   - response: The response.
    ///   - data: The body.
    ///   - responseObject: What the body parsed to; not changed any more once it is here.
    ///   - underlyingError: The cause.
    public init(
        code: Code, message: String? = nil, response: URLResponse?, data: Data?, responseObject: Any? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.response = response
        self.data = data
        self.underlyingError = underlyingError
        object = ParsedObject(value: responseObject)
        reason = message ?? "Request failed: the response could not be serialized (\(code.rawValue))"
    }

    private init(_ other: Self, responseObject: Any?, underlyingError: (any Error)?) {
        self.init(
            code: other.code, message: other.reason, response: other.response, data: other.data,
            responseObject: responseObject, underlyingError: underlyingError)
        method = other.method
        downloadTaskResumeData = other.downloadTaskResumeData
    }

    /// The same error with the object the body parsed to.
    package func carrying(_ responseObject: Any?) -> Self {
        Self(self, responseObject: responseObject, underlyingError: underlyingError)
    }

    /// The same error on top of another one; as it is if it already lies on top of one.
    package func over(_ cause: some Error) -> Self {
        guard underlyingError == nil else { return self }
        return Self(self, responseObject: responseObject, underlyingError: cause)
    }

    /// The same error with the request's method in its line; as it is when it has one.
    func naming(_ method: String) -> Self {
        guard self.method == nil else { return self }
        var error = self
        error.method = method
        return error
    }

    /// The same error with resume data.
    package func leaving(_ resumeData: Data) -> Self {
        var error = self
        error.downloadTaskResumeData = resumeData
        return error
    }

    /// True if this or an error beneath it refuses the content type: then the body is not parsed.
    package var concernsContentType: Bool {
        var next: ResponseSerializationError? = self
        while let error = next {
            if error.code == .cannotDecodeContentData { return true }
            next = error.underlyingError as? ResponseSerializationError
        }
        return false
    }

    /// AFNetworking's error domain.
    public static var errorDomain: String { URLResponseSerializationErrorDomain }

    /// One line with the failure and the request. For example "Request failed: not found (404): GET
    /// https://example.com/a". The method is known once an operation has the error.
    public var description: String { ErrorLine.text(reason, of: method, response?.url, advice: recoverySuggestion) }

    /// Advice about a refused status, for 401, 407, 429 and 503.
    public var recoverySuggestion: String? {
        guard code == .badServerResponse else { return nil }
        return switch (response as? HTTPURLResponse)?.statusCode {
        case 401: "give the operation a credential, or set the Authorization field"
        case 407: "give proxyConfiguration a user name and password"
        case 429, 503: "send it again later: retryPolicy does"
        default: nil
        }
    }

    /// The description, the reason, the failing URL, the response, the body, the object, the resume data and the
    /// underlying error, each under AFNetworking's or Foundation's key.
    ///
    /// Values that the error does not have are absent.
    public var errorUserInfo: [String: Any] {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: description, NSLocalizedFailureReasonErrorKey: reason,
        ]
        userInfo[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
        userInfo[NSURLErrorFailingURLErrorKey] = response?.url
        userInfo[NetworkingOperationFailingURLResponseErrorKey] = response
        userInfo[NetworkingOperationFailingURLResponseDataErrorKey] = data
        userInfo[NetworkingOperationFailingURLResponseObjectErrorKey] = responseObject
        userInfo[URLSessionDownloadTaskResumeData] = downloadTaskResumeData
        userInfo[NSUnderlyingErrorKey] = underlyingError.map { $0 as NSError }
        return userInfo
    }
}

/// Carries a parsed object of any type.
private struct ParsedObject: Sendable {
    // Safe because a serializer makes the object, hands it over with the error and never touches it again; the
    // documentation (`init`) forbids code that gets the error to change it.
    nonisolated(unsafe) let value: Any?
}
