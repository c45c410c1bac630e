// SPDX-License-Identifier: MIT

/// What the libcurl and the TLS library in use can. Empty when they do not say.
package struct TransportCapabilities: Sendable {
    package var curlVersion = ""
    package var tlsVersion = ""
    package var supportsHTTP2 = false
    package var supportsHTTP3 = false
    package var supportsUnixSockets = false
    package var contentCodings: [String] = []
}
