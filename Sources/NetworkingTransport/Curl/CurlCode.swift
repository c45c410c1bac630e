// SPDX-License-Identifier: MIT
internal import CCurl

/// The result of a libcurl easy call: `CURLcode`, with its C spelling kept.
///
/// See <https://curl.se/libcurl/c/libcurl-errors.html>. A value that this library does not know stays what it is.
struct CurlCode: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }
    init(_ code: CURLcode) { rawValue = code.rawValue }

    static let CURLE_OK = CurlCode(CCurl.CURLE_OK)
    static let CURLE_UNSUPPORTED_PROTOCOL = CurlCode(CCurl.CURLE_UNSUPPORTED_PROTOCOL)
    static let CURLE_URL_MALFORMAT = CurlCode(CCurl.CURLE_URL_MALFORMAT)
    static let CURLE_COULDNT_RESOLVE_PROXY = CurlCode(CCurl.CURLE_COULDNT_RESOLVE_PROXY)
    static let CURLE_COULDNT_RESOLVE_HOST = CurlCode(CCurl.CURLE_COULDNT_RESOLVE_HOST)
    static let CURLE_COULDNT_CONNECT = CurlCode(CCurl.CURLE_COULDNT_CONNECT)
    static let CURLE_WEIRD_SERVER_REPLY = CurlCode(CCurl.CURLE_WEIRD_SERVER_REPLY)
    static let CURLE_HTTP2 = CurlCode(CCurl.CURLE_HTTP2)
    static let CURLE_PARTIAL_FILE = CurlCode(CCurl.CURLE_PARTIAL_FILE)
    static let CURLE_WRITE_ERROR = CurlCode(CCurl.CURLE_WRITE_ERROR)
    static let CURLE_READ_ERROR = CurlCode(CCurl.CURLE_READ_ERROR)
    static let CURLE_OUT_OF_MEMORY = CurlCode(CCurl.CURLE_OUT_OF_MEMORY)
    static let CURLE_OPERATION_TIMEDOUT = CurlCode(CCurl.CURLE_OPERATION_TIMEDOUT)
    static let CURLE_SSL_CONNECT_ERROR = CurlCode(CCurl.CURLE_SSL_CONNECT_ERROR)
    static let CURLE_ABORTED_BY_CALLBACK = CurlCode(CCurl.CURLE_ABORTED_BY_CALLBACK)
    static let CURLE_TOO_MANY_REDIRECTS = CurlCode(CCurl.CURLE_TOO_MANY_REDIRECTS)
    static let CURLE_UNKNOWN_OPTION = CurlCode(CCurl.CURLE_UNKNOWN_OPTION)
    static let CURLE_NOT_BUILT_IN = CurlCode(CCurl.CURLE_NOT_BUILT_IN)
    static let CURLE_GOT_NOTHING = CurlCode(CCurl.CURLE_GOT_NOTHING)
    static let CURLE_BAD_FUNCTION_ARGUMENT = CurlCode(CCurl.CURLE_BAD_FUNCTION_ARGUMENT)
    static let CURLE_SSL_ENGINE_NOTFOUND = CurlCode(CCurl.CURLE_SSL_ENGINE_NOTFOUND)
    static let CURLE_SEND_ERROR = CurlCode(CCurl.CURLE_SEND_ERROR)
    static let CURLE_RECV_ERROR = CurlCode(CCurl.CURLE_RECV_ERROR)
    static let CURLE_SSL_CERTPROBLEM = CurlCode(CCurl.CURLE_SSL_CERTPROBLEM)
    static let CURLE_SSL_CIPHER = CurlCode(CCurl.CURLE_SSL_CIPHER)
    static let CURLE_PEER_FAILED_VERIFICATION = CurlCode(CCurl.CURLE_PEER_FAILED_VERIFICATION)
    static let CURLE_INTERFACE_FAILED = CurlCode(CCurl.CURLE_INTERFACE_FAILED)
    static let CURLE_BAD_CONTENT_ENCODING = CurlCode(CCurl.CURLE_BAD_CONTENT_ENCODING)
    static let CURLE_FILESIZE_EXCEEDED = CurlCode(CCurl.CURLE_FILESIZE_EXCEEDED)
    static let CURLE_USE_SSL_FAILED = CurlCode(CCurl.CURLE_USE_SSL_FAILED)
    static let CURLE_SEND_FAIL_REWIND = CurlCode(CCurl.CURLE_SEND_FAIL_REWIND)
    static let CURLE_SSL_CACERT_BADFILE = CurlCode(CCurl.CURLE_SSL_CACERT_BADFILE)
    static let CURLE_SSL_CRL_BADFILE = CurlCode(CCurl.CURLE_SSL_CRL_BADFILE)
    static let CURLE_SSL_ISSUER_ERROR = CurlCode(CCurl.CURLE_SSL_ISSUER_ERROR)
    static let CURLE_SSL_PINNEDPUBKEYNOTMATCH = CurlCode(CCurl.CURLE_SSL_PINNEDPUBKEYNOTMATCH)
    static let CURLE_SSL_INVALIDCERTSTATUS = CurlCode(CCurl.CURLE_SSL_INVALIDCERTSTATUS)
    static let CURLE_HTTP2_STREAM = CurlCode(CCurl.CURLE_HTTP2_STREAM)
    static let CURLE_HTTP3 = CurlCode(CCurl.CURLE_HTTP3)
    static let CURLE_PROXY = CurlCode(CCurl.CURLE_PROXY)
    static let CURLE_SSL_CLIENTCERT = CurlCode(CCurl.CURLE_SSL_CLIENTCERT)
    /// Not in the headers of every libcurl this builds with (since 8.6).
    static let CURLE_TOO_LARGE = CurlCode(rawValue: 100)

    /// libcurl's text for the code.
    var text: String { String(cString: curl_easy_strerror(CURLcode(rawValue))) }
}
