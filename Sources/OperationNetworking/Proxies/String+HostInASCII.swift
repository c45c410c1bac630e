// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

extension String {
    /// A host name as connections are made to it: in its ASCII form (RFC 5891), without the trailing dot. Itself when it is
    /// none.
    var hostInASCII: String {
        // Foundation converts whatever the locale is; libcurl does in a UTF-8 locale only.
        guard let url = URL(escaping: "http://\(self)/"), let host = TransportEngine.host(of: url.absoluteString) else {
            return self
        }
        return host
    }
}
