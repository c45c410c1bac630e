// SPDX-License-Identifier: MIT
package import Foundation
internal import FoundationNetworking

extension URLError {
    /// An error of the library's own, in the shape that Foundation's have. It prints one line, its
    /// `localizedDescription`: method, URL, reason and advice.
    package init(
        _ code: URLError.Code, url: URL?, method: String? = nil, reason: String, advice: String? = nil,
        underlying: (any Error)? = nil
    ) {
        var userInfo: [String: Any] = [NSLocalizedFailureReasonErrorKey: ErrorLine.oneLine(reason)]
        userInfo[NSLocalizedRecoverySuggestionErrorKey] = advice
        if let url = url?.withoutUserInfo {
            userInfo[NSURLErrorFailingURLErrorKey] = url
            userInfo["NSErrorFailingURLStringKey"] = url.absoluteString
        }
        // As it is: on Linux an NSError made of a Swift error does not cast back to it.
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying }
        self.init(code, method: method, userInfo: userInfo)
    }

    /// - Parameter userInfo: without the description, which is made of it.
    private init(_ code: URLError.Code, method: String?, userInfo: [String: Any]) {
        var userInfo = userInfo
        userInfo[NSLocalizedDescriptionKey] = Self.line(method, userInfo)
        self.init(_nsError: DescribedError(domain: NSURLErrorDomain, code: code.rawValue, userInfo: userInfo))
    }

    private static func line(_ method: String?, _ userInfo: [String: Any]) -> String {
        ErrorLine.text(
            method, userInfo[NSURLErrorFailingURLErrorKey] as? URL,
            userInfo[NSLocalizedFailureReasonErrorKey] as? String ?? "the request failed",
            advice: userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String)
    }

    /// The same error with the request's method in its line; as it is when it has one, or is not the library's.
    fileprivate func naming(_ method: String) -> URLError {
        let userInfo = userInfo
        guard _nsError is DescribedError, userInfo[NSLocalizedFailureReasonErrorKey] != nil,
            userInfo[NSLocalizedDescriptionKey] as? String == Self.line(nil, userInfo)
        else { return self }
        return URLError(code, method: method, userInfo: userInfo)
    }

    /// The same error with more in its user info.
    package func adding(_ value: Any, forKey key: String) -> URLError {
        var userInfo = userInfo
        userInfo[key] = value
        guard _nsError is DescribedError else { return URLError(code, userInfo: userInfo) }
        return URLError(_nsError: DescribedError(domain: NSURLErrorDomain, code: code.rawValue, userInfo: userInfo))
    }

    /// The same error under another code.
    package func recoded(_ code: URLError.Code) -> URLError {
        URLError(_nsError: DescribedError(domain: NSURLErrorDomain, code: code.rawValue, userInfo: userInfo))
    }

    /// An error that was archived with its line.
    package init(_ code: URLError.Code, line: String) {
        self.init(_nsError: DescribedError(domain: NSURLErrorDomain, code: code.rawValue, line))
    }

    /// The error of a cancelled operation.
    package static func cancelled(url: URL?, underlying: (any Error)? = nil) -> URLError {
        URLError(.cancelled, url: url, reason: "the operation was cancelled", underlying: underlying)
    }
}

extension Error {
    /// The same error with a request's method in its line, where the error is the library's and does not have one.
    package func naming(_ method: String?) -> any Error {
        switch self {
        // An error that casts to `URLError` and is not one is an `NSError` of other code.
        case let error as URLError where Self.self == URLError.self: error.naming(method ?? "GET")
        case let error as ResponseSerializationError: error.naming(method ?? "GET")
        default: self
        }
    }
}
