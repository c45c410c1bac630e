// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

extension String {
    /// The host name that connections use: in its ASCII form (RFC 5891), without the trailing dot. The string itself if
    /// it is no host name.
    var hostInASCII: String {
        // Foundation converts whatever the locale is; libcurl does in a UTF-8 locale only.
        guard let url = URL(escaping: "http://\(self)/"), let host = TransportEngine.host(of: url.absoluteString) else {
            return self
        }
        return host
    }
}
