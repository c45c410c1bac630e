// SPDX-License-Identifier: MIT
internal import CCurl

/// The once-only initialisation of the C libraries, before the first network thread exists.
enum CurlGlobal {
    /// What `curl_global_init` returned.
    static let status: CurlCode = {
        OpenSSLRuntime.prepare()
        return CurlCode(curl_global_init(Int(CURL_GLOBAL_DEFAULT)))
    }()

    /// What this libcurl can.
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

    /// Whether a handle's next response finds nothing of its last one.
    ///
    /// Before 8.2 a handle keeps a pointer to the last field of the response before, which it has freed. A response whose
    /// first field line is folded is appended there (https://github.com/curl/curl/pull/11103). So none of those handles
    /// sees a second response.
    static let forgetsResponses: Bool = {
        guard let version = curl_version_info(CURLVERSION_FIRST) else { return false }
        return version.pointee.version_num >= 0x08_02_00
    }()
}
