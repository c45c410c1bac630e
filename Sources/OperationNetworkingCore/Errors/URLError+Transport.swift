// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import Glibc
package import NetworkingTransport

extension TransferError {
    /// The error that an operation fails with for a transfer that did not complete.
    func failure(url: URL?) -> any Error {
        if kind == .substituted, let cause { return cause }
        return URLError(self, url: url)
    }
}

extension URLError {
    /// The error that an operation shows for a transfer that did not complete.
    ///
    /// The user info has the failing URL (without a password) and, as underlying error, what libcurl, the body, the
    /// sink or the trust evaluation said.
    package init(_ error: TransferError, url: URL?, method: String? = nil) {
        self.init(
            Self.code(for: error), url: url, method: method, reason: Self.reason(error),
            advice: Self.advice(for: error),
            underlying: Self.underlying(error))
    }

    /// Of content that has begun to come, and does not go on.
    package static func lost(at url: URL?) -> URLError {
        URLError(
            .networkConnectionLost, url: url,
            reason: "the connection was lost, and another response came than the one whose content had begun")
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
        case .bodySink: sinkCode(for: error.cause)
        case .tooManyRedirects: .httpTooManyRedirects
        case .outOfMemory: .dataLengthExceedsMaximum
        case .other, .substituted: .unknown
        }
    }

    /// A download's target that is not to be replaced; content that is not what it was to be; or a place that failed.
    private static func sinkCode(for cause: (any Error)?) -> URLError.Code {
        if let cause = cause as? DownloadError { return cause.code }
        guard let cause = cause as NSError?, cause.domain == NSPOSIXErrorDomain, cause.code == Int(EEXIST) else {
            return .cannotWriteToFile
        }
        return .cannotCreateFile
    }

    /// Returns what happened, and the cause's own words where a body or its destination failed or a server was not
    /// trusted.
    private static func reason(_ error: TransferError) -> String {
        switch (error.kind, error.cause) {
        case (.bodySink, let cause as DownloadError):
            return cause.reason
        case (.bodySource, let cause?), (.bodySink, let cause?):
            return joined([error.message] + texts(of: cause))
        case (.serverUntrusted, let cause?):
            return cause.localizedDescription
        case (.secureConnectionFailed, _) where isPlainPort(error):
            return "the server does not speak TLS on this port: what it answers is no handshake (\(error.message))"
        default:
            guard error.systemErrno != 0, error.kind == .cannotConnect else { return error.message }
            return "\(error.message) (\(String(cString: strerror(error.systemErrno))))"
        }
    }

    /// Returns the description of an error, followed by that of a stream's own error.
    private static func texts(of error: any Error) -> [String] {
        guard let error = error as? BodySourceError else { return [error.localizedDescription] }
        return [error.description] + (error.cause.map { [$0.localizedDescription] } ?? [])
    }

    /// One line of sentences, each of which explains the one before.
    private static func joined(_ sentences: [String]) -> String {
        let parts = sentences.dropLast().map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
        return (parts + sentences.suffix(1)).joined(separator: ": ")
    }

    /// OpenSSL's words for bytes that are no record of TLS.
    private static func isPlainPort(_ error: TransferError) -> Bool {
        ["wrong version number", "http request", "packet length too long", "record layer failure"]
            .contains { error.message.contains($0) }
    }

    /// Returns advice, where it depends on nothing but the kind of failure. A trust error has its own advice.
    private static func advice(for error: TransferError) -> String? {
        switch error.kind {
        case .cannotFindHost: "check the host's name, and this machine's name servers"
        case .cannotConnect: "check host and port, and that the server is running"
        case .timedOut: "raise the time-out if the server needs longer"
        case .connectionLost: "send the request again if it may be repeated"
        case .badResponse: "check that the port is one for HTTP, and what is between it and here"
        case .cannotDecodeContent: "ask for content without a coding (Accept-Encoding: identity)"
        case .secureConnectionFailed:
            isPlainPort(error)
                ? "ask for the http URL, or the port that speaks TLS"
                : "compare the TLS versions of the security policy with the server's"
        case .clientCertificate: "check clientIdentity: its certificate has to be one that the server accepts"
        case .clientCertificateRequired: "set clientIdentity"
        case .bodyNotReplayable: "give the body as data or as a file"
        case .tooManyRedirects: "look for a loop in the server's redirects"
        case .proxy: "check proxyConfiguration, and that the proxy is running"
        case .proxyAuthentication: "check the user name and password in proxyConfiguration"
        case .tooLarge where error.curlCode != 0:
            "have the server send fewer and shorter header fields, cookies among them"
        case .cancelled, .badURL, .badRequest, .unsupportedScheme, .tooLarge, .serverUntrusted, .bodySource, .bodySink,
            .outOfMemory, .substituted, .other:
            nil
        }
    }

    private static func underlying(_ error: TransferError) -> (any Error)? {
        if let source = error.cause as? BodySourceError {
            if let cause = source.cause { return cause }
            return source.systemErrno == 0 ? nil : NSError(domain: NSPOSIXErrorDomain, code: Int(source.systemErrno))
        }
        if let cause = error.cause { return cause }
        guard error.curlCode != 0 || error.systemErrno != 0 else { return nil }
        var userInfo: [String: Any] = [:]
        if error.systemErrno != 0 {
            userInfo[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(error.systemErrno))
        }
        return NSError.described(
            domain: error.isMultiCode ? "libcurl.CURLMcode" : "libcurl.CURLcode", code: error.curlCode, error.message,
            userInfo)
    }
}
