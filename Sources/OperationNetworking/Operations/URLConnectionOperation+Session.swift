// SPDX-License-Identifier: MIT
internal import Foundation
package import FoundationNetworking
internal import NetworkingSupport

// What a session's task needs of its operation.

extension URLConnectionOperation {
    /// Why there is no whole response, and the content. What a response serializer says is no error here.
    var transferResult: (error: (any Error)?, data: Data?) {
        lock.withLock { (_received.value.error, _received.value.data) }
    }

    /// Content goes to the one reader of the stream, which is told of the operation's end. Before the start.
    func makeSessionStream() -> ResponseStream {
        let stream = responseStream()
        _ = stream.claim()
        return stream
    }

    /// Bytes of content that may be collected in memory.
    var memoryLimit: Int { lock.withLock { _configuration.value.memoryLimit } }

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
    func setSessionBody(_ stream: InputStream) {
        lock.withLock { _request.httpBodyStream = stream }
    }
}
