// SPDX-License-Identifier: MIT
internal import COpenSSL

enum OpenSSLLibrary {
    /// Makes OpenSSL stay to the end of the process, while servers' threads may be in it.
    static let isReady: Bool = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
