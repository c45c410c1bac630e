// SPDX-License-Identifier: MIT
internal import Foundation

extension TransferRequest {
    /// The error with which the engine would refuse the request before it does anything; nil: nothing is wrong with it.
    package var validationError: TransferError? {
        if let error = RequestValidation.urlError(url) ?? RequestValidation.error(in: self) { return error }
        guard case .source(let source) = body,
            case .failure(let error) = RequestValidation.contentLength(of: source, headers: headers)
        else { return nil }
        return error
    }
}

/// The checks of a request before a byte of it goes out: nothing in it may end a line, or a C string, early.
enum RequestValidation {
    /// The reason why the request apart from its URL cannot be sent; nil: it can.
    static func error(in request: TransferRequest) -> TransferError? {
        methodError(request) ?? headerError(request) ?? credentialError(request)
    }

    /// The reason why `url` cannot be requested; nil: nothing is wrong with it that libcurl would not find.
    ///
    /// Runs for every request, so it looks at the bytes once.
    static func urlError(_ url: String) -> TransferError? {
        var url = url
        let verdict = url.withUTF8 { bytes -> URLVerdict in
            for byte in bytes where byte <= 0x20 || byte == 0x7F { return .hasForbiddenByte }
            if hasPrefix(bytes, "http://") || hasPrefix(bytes, "https://") { return .fine }
            return .hasOtherScheme
        }
        switch verdict {
        case .fine:
            return nil
        case .hasForbiddenByte:
            return TransferError(.badURL, message: "The URL contains a space or control character: percent-encode it.")
        case .hasOtherScheme:
            return schemeError(url)
        }
    }

    private enum URLVerdict { case fine, hasForbiddenByte, hasOtherScheme }

    /// ASCII letters of any case; `prefix` is in lower case.
    private static func hasPrefix(_ bytes: UnsafeBufferPointer<UInt8>, _ prefix: StaticString) -> Bool {
        guard bytes.count >= prefix.utf8CodeUnitCount else { return false }
        for index in 0..<prefix.utf8CodeUnitCount {
            let byte = bytes[index]
            let folded = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
            guard folded == prefix.utf8Start[index] else { return false }
        }
        return true
    }

    private static func schemeError(_ url: String) -> TransferError {
        guard !url.isEmpty else { return TransferError(.badURL, message: "The URL is empty.") }
        let scheme = url.prefix { $0 != ":" }
        guard scheme.endIndex < url.endIndex else {
            return TransferError(.badURL, message: "The URL has no scheme: begin it with http:// or https://.")
        }
        switch scheme.lowercased() {
        case "http", "https":
            return TransferError(.badURL, message: "The URL's scheme is not followed by //.")
        default:
            return TransferError(.unsupportedScheme, message: "The scheme \"\(scheme)\" is neither http nor https.")
        }
    }

    /// The length of a source's content: what the source promises, or what the caller wrote into `Content-Length`.
    static func contentLength(
        of source: any BodySource, headers: [HeaderField]
    ) -> Result<Int64?, TransferError> {
        let promised = source.contentLength
        if let promised, promised < 0 {
            return .failure(TransferError(.badRequest, message: "A body of \(promised) bytes cannot be sent."))
        }
        guard let field = contentLengthField(headers) else { return .success(promised) }
        guard let stated = Int64(field.value), stated >= 0, promised == nil || promised == stated else {
            return .failure(contentLengthMismatch)
        }
        return .success(stated)
    }

    /// True if the authority part of `url` carries a user name or password.
    static func hasUserInfo(_ url: String) -> Bool {
        var url = url
        guard url.withUTF8({ $0.contains(UInt8(ascii: "@")) }) else { return false }
        let start = url.range(of: "://")?.upperBound ?? url.startIndex
        let authority = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return authority.utf8.contains(UInt8(ascii: "@"))
    }

    private static func methodError(_ request: TransferRequest) -> TransferError? {
        guard request.method.isToken else {
            return TransferError(.badRequest, message: "The method is not a token (RFC 9110, 5.6.2).")
        }
        switch request.body {
        case .none:
            if let field = contentLengthField(request.headers), field.value != "0" {
                return contentLengthMismatch
            }
        case .data(let data):
            if let field = contentLengthField(request.headers), Int64(field.value) != Int64(data.count) {
                return contentLengthMismatch
            }
            fallthrough
        case .source:
            guard request.method != "HEAD" else {
                return TransferError(.badRequest, message: "A HEAD request with content: remove the body.")
            }
        }
        return nil
    }

    private static func headerError(_ request: TransferRequest) -> TransferError? {
        for field in request.headers {
            guard field.name.isToken else {
                return TransferError(
                    .badRequest,
                    message: "A header field name is not a token (RFC 9110, 5.1): \(field.name.debugDescription).")
            }
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return TransferError(
                    .badRequest, message: "The value of the header field \(field.name) contains a control character.")
            }
        }
        return nil
    }

    private static func credentialError(_ request: TransferRequest) -> TransferError? {
        for credential in [request.credential, request.proxy?.credential].compactMap({ $0 }) {
            // libcurl writes some of it into header fields as it is.
            do {
                try AuthenticationError.check(user: credential.user, password: credential.password)
            } catch {
                return TransferError(.badRequest, message: "A credential cannot be sent: \(error).")
            }
        }
        return nil
    }

    private static func contentLengthField(_ headers: [HeaderField]) -> HeaderField? {
        headers.first { $0.name.utf8.count == 14 && $0.name.lowercased() == "content-length" }
    }

    private static var contentLengthMismatch: TransferError {
        TransferError(.badRequest, message: "The Content-Length field is not the body's length: leave it out.")
    }
}
