// SPDX-License-Identifier: MIT
internal import Foundation
package import FoundationNetworking
internal import NetworkingSupport

// The parts of an operation that a session's task needs.

extension URLConnectionOperation {
    /// The reason that there is no whole response, and the content. A response serializer's error does not count here.
    package var transferResult: (error: (any Error)?, data: Data?) {
        lock.withLock { (_received.value.error, _received.value.data) }
    }

    /// Makes the stream that content goes to. Its one reader learns of the operation's end. Before the start.
    package func makeSessionStream() -> ResponseStream {
        let stream = responseStream()
        _ = stream.claim()
        return stream
    }

    /// Bytes of content that may be collected in memory.
    package var memoryLimit: Int { lock.withLock { _configuration.value.memoryLimit } }

    /// The request that was sent last, after the redirects so far.
    package var presentRequest: URLRequest { lock.withLock { _received.value.request ?? _request } }

    /// A redirect is followed.
    func note(request: URLRequest) {
        lock.withLock {
            _mutableReceived.request = request
            let method = request.httpMethod ?? "GET"
            if !_received.value.redirectedMethods.contains(method) { _mutableReceived.redirectedMethods.append(method) }
        }
    }

    /// The request that is sent has this content. Before the start.
    package func setSessionBody(_ stream: InputStream) {
        lock.withLock { _request.httpBodyStream = stream }
    }
}
