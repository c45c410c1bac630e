// SPDX-License-Identifier: MIT
internal import CCurl

/// Owns a libcurl easy handle: typed options in, typed facts out.
final class EasyHandle {
    // CURL *
    @exclusivity(unchecked) private(set) var pointer: UnsafeMutableRawPointer
    // CURL *: a handle with the options to keep that has seen no response.
    @exclusivity(unchecked) private var blueprint: UnsafeMutableRawPointer?
    // char[CURL_ERROR_SIZE]
    private let errorBuffer: UnsafeMutablePointer<CChar>

    /// Nil: out of memory.
    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(pointer)
        // NULL is allowed.
        curl_easy_cleanup(blueprint)
        errorBuffer.deallocate()
    }

    /// Back to libcurl's defaults, while it is in no multi handle; connections and sessions stay. False: out of memory.
    func reset() -> Bool {
        if CurlGlobal.forgetsResponses {
            curl_easy_reset(pointer)
            return true
        }
        guard let fresh = curl_easy_init() else { return false }
        curl_easy_cleanup(pointer)
        pointer = fresh
        curl_easy_cleanup(blueprint)
        blueprint = nil
        return true
    }

    /// Makes the options as they are now those that `rewind(share:)` goes back to. False: out of memory.
    func markOptions() -> Bool {
        guard !CurlGlobal.forgetsResponses else { return true }
        blueprint = curl_easy_duphandle(pointer)
        return blueprint != nil
    }

    /// Ready for the next request with the options as they were marked, while it is in no multi handle. False: out of
    /// memory, and only `reset()` helps.
    func rewind(share: SessionShare) -> Bool {
        guard !CurlGlobal.forgetsResponses else { return true }
        guard let blueprint else { return false }
        // First, so that the copy gets its memory.
        curl_easy_cleanup(pointer)
        guard let copy = curl_easy_duphandle(blueprint) else {
            pointer = blueprint
            self.blueprint = nil
            return false
        }
        pointer = copy
        // A copy has everything but the share.
        return set(CURLOPT_SHARE, pointer: share.pointer) == .CURLE_OK
    }

    func set(_ option: CURLoption, _ value: Int) -> CurlCode {
        CurlCode(on_curl_setopt_long(pointer, option, value))
    }

    func set(_ option: CURLoption, offset value: Int64) -> CurlCode {
        CurlCode(on_curl_setopt_offset(pointer, option, curl_off_t(value)))
    }

    func set(_ option: CURLoption, _ value: String) -> CurlCode {
        CurlCode(on_curl_setopt_string(pointer, option, value))
    }

    func set(_ option: CURLoption, pointer value: UnsafeRawPointer?) -> CurlCode {
        CurlCode(on_curl_setopt_pointer(pointer, option, value))
    }

    func set(_ option: CURLoption, function: @escaping curl_write_callback) -> CurlCode {
        CurlCode(on_curl_setopt_transfer_function(pointer, option, function))
    }

    func setSeekFunction(_ function: @escaping curl_seek_callback) -> CurlCode {
        CurlCode(on_curl_setopt_seek_function(pointer, function))
    }

    func setPreRequestFunction(_ function: @escaping curl_prereq_callback) -> CurlCode {
        CurlCode(on_curl_setopt_pre_request_function(pointer, function))
    }

    func setProgressFunction(_ function: @escaping curl_xferinfo_callback) -> CurlCode {
        CurlCode(on_curl_setopt_progress_function(pointer, function))
    }

    func setDebugFunction(_ function: @escaping curl_debug_callback) -> CurlCode {
        CurlCode(on_curl_setopt_debug_function(pointer, function))
    }

    func setSSLContextFunction(_ function: @escaping curl_ssl_ctx_callback) -> CurlCode {
        CurlCode(on_curl_setopt_ssl_context_function(pointer, function))
    }

    func setSocketFunctions(open: @escaping curl_opensocket_callback, close: @escaping curl_closesocket_callback)
        -> CurlCode
    {
        let code = CurlCode(on_curl_setopt_open_socket_function(pointer, open))
        return code == .CURLE_OK ? CurlCode(on_curl_setopt_close_socket_function(pointer, close)) : code
    }

    /// Hands libcurl a copy of `bytes` (a `curl_blob`).
    func set(_ option: CURLoption, blob bytes: UnsafeRawBufferPointer) -> CurlCode {
        var blob = curl_blob(
            data: UnsafeMutableRawPointer(mutating: bytes.baseAddress), len: bytes.count, flags: UInt32(CURL_BLOB_COPY))
        return CurlCode(on_curl_setopt_pointer(pointer, option, &blob))
    }

    /// Points CURLOPT_ERRORBUFFER at this handle's buffer.
    func installErrorBuffer() -> CurlCode { set(CURLOPT_ERRORBUFFER, pointer: errorBuffer) }

    func clearErrorText() { errorBuffer[0] = 0 }

    /// libcurl's text for the last failure; empty: none.
    var errorText: String { String(cString: errorBuffer) }

    /// A `long` fact; 0 where libcurl does not have it.
    func long(_ info: CURLINFO) -> Int {
        var value = 0
        return on_curl_getinfo_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    /// A `curl_off_t` fact; 0 where libcurl does not have it.
    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return on_curl_getinfo_offset(pointer, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    /// A time fact in seconds.
    func seconds(_ info: CURLINFO) -> Double { Double(offset(info)) / 1_000_000 }

    /// The TLS connection in use, an `SSL *`; nil: no connection, or it is not OpenSSL's.
    var tlsConnection: UnsafeMutableRawPointer? { on_curl_getinfo_openssl(pointer) }

    /// A string fact; "" where libcurl does not have it.
    func string(_ info: CURLINFO) -> String {
        var value: UnsafePointer<CChar>?
        guard on_curl_getinfo_string(pointer, info, &value) == CURLE_OK, let value else { return "" }
        return String(cString: value)
    }
}

// A libcurl handle belongs to the network thread that made it.
@available(*, unavailable)
extension EasyHandle: Sendable {}
