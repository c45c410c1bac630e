// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

/// An error of building a request or producing its body.
///
/// As `NSError` it has AFNetworking's domain (`AFURLRequestSerializationErrorDomain`) and its codes −1000 and −1016;
/// the positive codes are this library's own.
public struct RequestSerializationError: NetworkingError {
    /// The kind of error, as the `NSError` code.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The `NSError` code.
        public let rawValue: Int

        /// A code of your own serializer.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// A URL that does not parse, is not a file URL where one is needed, or names a file that cannot be read
        /// (−1000, `NSURLErrorBadURL`).
        public static let badURL = Code(rawValue: -1000)
        /// Parameters that the serializer cannot express (−1016).
        public static let invalidParameters = Code(rawValue: -1016)
        /// A method that is not an HTTP token, or one that cannot carry the body asked for (1).
        public static let invalidMethod = Code(rawValue: 1)
        /// A header field whose name or value would break the message (2).
        public static let invalidHeaderField = Code(rawValue: 2)
        /// A body source gave fewer or more bytes than were declared (3). It is a file that changed after it was
        /// appended, or a stream of another length than stated.
        public static let bodyLengthMismatch = Code(rawValue: 3)
        /// A body must be sent again, and one of its sources can be read only once (4).
        public static let bodyNotReplayable = Code(rawValue: 4)
        /// A body source could not be read (5).
        public static let bodyUnreadable = Code(rawValue: 5)
        /// A body could not be written to a file (6).
        public static let fileNotWritable = Code(rawValue: 6)
    }

    /// The kind of error.
    public let code: Code
    /// One sentence about the error. It is AFNetworking's failure reason where that has one.
    public let reason: String
    /// The place of the error and what to do, when there is more to say than `reason`.
    public let detail: String?
    /// The URL of the request, or of the file, that the failure is about, without a password.
    public let failingURL: URL?
    /// The request that was being serialized, when there was one, with its URL without a password.
    public let request: URLRequest?
    /// The failure underneath, which is Foundation's, a file system's, or the one a custom block threw.
    public let underlyingError: (any Error)?

    /// Creates an error. Serializers of your own throw it to look like the library's.
    public init(
        code: Code, reason: String, detail: String? = nil, failingURL: URL? = nil, request: URLRequest? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.reason = reason
        self.detail = detail
        self.failingURL = (failingURL ?? request?.url)?.withoutUserInfo
        var request = request
        if let url = request?.url { request?.url = url.withoutUserInfo }
        self.request = request
        self.underlyingError = underlyingError
    }
}

extension RequestSerializationError {
    /// `com.alamofire.error.serialization.request`, AFNetworking's `AFURLRequestSerializationErrorDomain`.
    public static let errorDomain = "com.alamofire.error.serialization.request"

    /// The `userInfo` key of the failing `URLRequest`, AFNetworking's `AFNetworkingOperationFailingURLRequestErrorKey`.
    public static let failingRequestErrorKey = "com.alamofire.serialization.request.error.response"

    /// Method, URL, `reason` and `detail`.
    public var description: String {
        ErrorLine.text(request?.httpMethod, failingURL, detail.map { "\(reason) \($0)" } ?? reason)
    }

    /// The description, the reason, the underlying error, the failing URL and the failing request, each only when known.
    public var errorUserInfo: [String: Any] {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: description, NSLocalizedFailureReasonErrorKey: reason,
        ]
        userInfo[NSUnderlyingErrorKey] = underlyingError.map { $0 as NSError }
        userInfo[NSURLErrorFailingURLErrorKey] = failingURL
        userInfo[Self.failingRequestErrorKey] = request
        return userInfo
    }
}
