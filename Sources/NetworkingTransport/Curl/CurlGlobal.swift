// SPDX-License-Identifier: MIT
internal import CCurl

/// The once-only initialisation of the C libraries, before the first network thread exists.
enum CurlGlobal {
    /// The result of `curl_global_init`.
    static let status: CurlCode = {
        OpenSSLRuntime.prepare()
        return CurlCode(curl_global_init(Int(CURL_GLOBAL_DEFAULT)))
    }()

    /// The capabilities of the libcurl that is loaded.
    static let capabilities: TransportCapabilities = {
        guard let version = curl_version_info(CURLVERSION_FIRST) else { return TransportCapabilities() }
        let features = version.pointee.features
        var result = TransportCapabilities()
        if let text = version.pointee.version { result.curlVersion = String(cString: text) }
        if let text = version.pointee.ssl_version { result.tlsVersion = String(cString: text) }
        result.supportsHTTP2 = features & CURL_VERSION_HTTP2 != 0
        result.supportsHTTP3 = features & CURL_VERSION_HTTP3 != 0
        result.supportsUnixSockets = features & CURL_VERSION_UNIX_SOCKETS != 0
        result.contentCodings = ContentDecoder.available
        return result
    }()

    /// True if a handle forgets its last response before the next one comes.
    ///
    /// Before 8.2 a handle keeps a pointer to the last field of the response before, which it has freed. A response
    /// whose first field line is folded is appended there (https://github.com/curl/curl/pull/11103). So none of those
    /// handles sees a second response.
    static let forgetsResponses = version >= 0x08_02_00

    /// True if libcurl keeps the reset of an abandoned HTTP/2 stream back until it sends something else
    /// (https://github.com/curl/curl/issues/17611): from 7.88 to 8.14.
    static let keepsResetsBack = (0x07_58_00..<0x08_0F_00).contains(version)

    /// True if libcurl ends responses as if they were whole when it gives up their HTTP/2 connection because of what
    /// the server sent on it: before 8.1.
    static let takesBrokenConnectionsForEnds = version < 0x08_01_00

    /// As `LIBCURL_VERSION_NUM`, of the libcurl that is loaded; 0: not known.
    private static let version = curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? 0
}
