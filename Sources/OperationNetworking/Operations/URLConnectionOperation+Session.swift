// SPDX-License-Identifier: MIT
internal import Foundation
package import FoundationNetworking
internal import NetworkingSupport

// What a session's task needs of its operation.

extension URLConnectionOperation {
    /// The settings that all tasks of a session share.
    func setUpForSession(_ configuration: SharedConfiguration) {
        adopt(configuration)
    }

    /// Why there is no whole response; nil: there is, or none has come yet.
    var transportError: (any Error)? {
        lock.withLock { _reception.error }
    }

    /// Content goes to the one reader of the stream, which is told of the operation's end. Before the start.
    func makeSessionStream() -> ResponseStream {
        let stream = responseStream()
        _ = stream.claim()
        return stream
    }

    /// The request that was sent last, after the redirects so far.
    package var presentRequest: URLRequest { lock.withLock { _reception.request ?? _request } }

    /// A redirect is followed.
    func note(request: URLRequest) {
        lock.withLock { _reception.request = request }
    }

    /// The request that is sent has this content. Before the start.
    func setSessionBody(_ stream: InputStream) {
        lock.withLock { _request.httpBodyStream = stream }
    }
}
