// SPDX-License-Identifier: MIT
internal import COpenSSL
internal import Glibc

/// OpenSSL's once-only initialisation. Every function of ours that may be the first to use OpenSSL begins here.
enum OpenSSLRuntime {
    static func prepare() { _ = isPrepared }

    /// OpenSSL must not free itself when the process ends, because the network thread is never torn down. Code that
    /// initialised it before us may have set the opposite; for that case the thread is kept out of it at the end.
    /// Handlers run in the reverse order of their registration: ours before OpenSSL's.
    private static let isPrepared: Bool = {
        let isInitialised = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
        atexit { NetworkThread.parkAll() }
        return isInitialised
    }()
}
