// SPDX-License-Identifier: MIT

/// The capabilities of the libcurl and the TLS library in use. Empty when they do not report them.
package struct TransportCapabilities: Sendable {
    package var curlVersion = ""
    package var tlsVersion = ""
    package var supportsHTTP2 = false
    package var supportsHTTP3 = false
    package var supportsUnixSockets = false
    package var contentCodings: [String] = []
}
