// SPDX-License-Identifier: MIT
internal import CCurl

/// Owns a libcurl share handle that holds TLS sessions and nothing else.
///
/// It is used on one thread only, so it needs no lock functions.
final class SessionShare {
    // CURLSH *
    let pointer: UnsafeMutableRawPointer

    /// Nil: out of memory, or a libcurl that cannot share sessions.
    init?() {
        guard let pointer = curl_share_init() else { return nil }
        let code = on_curl_share_setopt_long(pointer, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_SSL_SESSION.rawValue))
        guard code == CURLSHE_OK else {
            curl_share_cleanup(pointer)
            return nil
        }
        self.pointer = pointer
    }

    deinit { curl_share_cleanup(pointer) }
}
