internal import Foundation
internal import FoundationNetworking
internal import Glibc
internal import NetworkingTransport

extension TransferError {
    /// What an operation fails with for a transfer that did not complete.
    func failure(url: URL?) -> any Error {
        if kind == .substituted, let cause { return cause }
        return URLError(self, url: url)
    }
}

extension URLError {
    /// The error that an operation shows for a transfer that did not complete.
    ///
    /// The user info has the failing URL (without a password) and, as underlying error, what libcurl, the body, the sink
    /// or the trust evaluation said.
    init(_ error: TransferError, url: URL?) {
        let code = Self.code(for: error)
        self.init(code, url: url, reason: Self.reason(error), underlying: Self.underlying(error))
    }

    /// An error of the library's own, in the shape that Foundation's have.
    init(_ code: URLError.Code, url: URL?, reason: String, underlying: (any Error)? = nil) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: reason]
        if let url = url?.withoutUserInfo {
            userInfo[NSURLErrorFailingURLErrorKey] = url
            userInfo["NSErrorFailingURLStringKey"] = url.absoluteString
        }
        // As it is: on Linux an NSError made of a Swift error does not cast back to it.
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying }
        self.init(code, userInfo: userInfo)
    }

    /// The error of a cancelled operation.
    static func cancelled(url: URL?, underlying: (any Error)? = nil) -> URLError {
        URLError(.cancelled, url: url, reason: "the operation was cancelled", underlying: underlying)
    }

    private static func code(for error: TransferError) -> URLError.Code {
        switch error.kind {
        case .cancelled: .cancelled
        case .badURL, .badRequest: .badURL
        case .unsupportedScheme: .unsupportedURL
        case .cannotFindHost: .cannotFindHost
        case .cannotConnect, .proxy: .cannotConnectToHost
        case .proxyAuthentication: .userAuthenticationRequired
        case .timedOut: .timedOut
        case .connectionLost: .networkConnectionLost
        case .badResponse: .cannotParseResponse
        case .cannotDecodeContent: .cannotDecodeContentData
        case .tooLarge: .dataLengthExceedsMaximum
        case .secureConnectionFailed: .secureConnectionFailed
        case .serverUntrusted: (error.cause as? ServerTrustError)?.urlErrorCode ?? .serverCertificateUntrusted
        case .clientCertificate: .clientCertificateRejected
        case .clientCertificateRequired: .clientCertificateRequired
        case .bodySource, .bodyNotReplayable: .requestBodyStreamExhausted
        case .bodySink: isExistingFile(error.cause) ? .cannotCreateFile : .cannotWriteToFile
        case .tooManyRedirects: .httpTooManyRedirects
        case .outOfMemory: .dataLengthExceedsMaximum
        case .other, .substituted: .unknown
        }
    }

    /// A download's target that is not to be replaced.
    private static func isExistingFile(_ cause: (any Error)?) -> Bool {
        guard let cause = cause as NSError? else { return false }
        return cause.domain == NSPOSIXErrorDomain && cause.code == Int(EEXIST)
    }

    /// What happened, and, where a body or its destination failed, what these say.
    private static func reason(_ error: TransferError) -> String {
        guard error.kind == .bodySource || error.kind == .bodySink, let cause = error.cause else {
            return error.message
        }
        let message = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
        return message + ": " + ((cause as? BodySourceError)?.description ?? cause.localizedDescription)
    }

    private static func underlying(_ error: TransferError) -> (any Error)? {
        if let source = error.cause as? BodySourceError {
            if let cause = source.cause { return cause }
            return source.systemErrno == 0 ? nil : NSError(domain: NSPOSIXErrorDomain, code: Int(source.systemErrno))
        }
        if let cause = error.cause { return cause }
        guard error.curlCode != 0 || error.systemErrno != 0 else { return nil }
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: error.message]
        if error.systemErrno != 0 {
            userInfo[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(error.systemErrno))
        }
        return NSError(
            domain: error.isMultiCode ? "libcurl.CURLMcode" : "libcurl.CURLcode", code: error.curlCode,
            userInfo: userInfo)
    }
}
