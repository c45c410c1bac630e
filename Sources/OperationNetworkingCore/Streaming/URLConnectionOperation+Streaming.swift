// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport

/// The response while it comes, for `for try await`.
///
/// Ask for one of them before the operation begins: from then on content is kept for it, and not in `responseData`.
/// What had been collected before goes to it, too.
///
/// - Reading starts an operation that was neither started nor put into a queue, and those it waits for. It works in any
///   queue, and holds the queue's slot: the operation has finished when everything was read.
/// - One task reads; another one gets ``ResponseStreamError/alreadyRead``.
/// - Leaving the loop cancels the operation, and so does cancelling the task.
/// - A slow loop slows its own transfer only: 512 KiB are kept before the transfer pauses.
/// - The sequence throws the operation's error. A response that ``HTTPRequestOperation/responseSerializer`` does not
///   accept, by its status code, gives no content: up to 1 MiB of it is in the error.
extension URLConnectionOperation {
    /// The response's content, decoded, in pieces as they come.
    ///
    /// ```swift
    /// for try await chunk in operation.chunks {
    ///     print(chunk.count)
    /// }
    /// ```
    public var chunks: ResponseChunks { ResponseChunks(access: ResponseStreamAccess(self)) }

    /// The response's content, decoded, byte by byte.
    public var bytes: ResponseBytes { ResponseBytes(access: ResponseStreamAccess(self)) }

    /// The response's content as lines of UTF-8.
    ///
    /// ```swift
    /// for try await line in operation.lines {
    ///     print(line)
    /// }
    /// ```
    public var lines: ResponseLines { ResponseLines(access: ResponseStreamAccess(self)) }

    /// The response's content as server-sent events. The request's `Accept` field becomes `text/event-stream` if it has
    /// none and the operation has not begun.
    ///
    /// ```swift
    /// for try await event in operation.events {
    ///     print(event.event, event.data)
    /// }
    /// ```
    public var events: ServerSentEvents {
        acceptEvents()
        return ServerSentEvents(access: ResponseStreamAccess(self))
    }

    /// Returns the whole content of the response, once the operation has finished without an error. That is where a
    /// success block would be called.
    ///
    /// An operation that is in no queue and was not started is started, and so are those it waits for. Cancelling the
    /// task cancels the operation. The data are empty where the content goes to `outputStream` or
    /// `downloadDestination`.
    ///
    /// ```swift
    /// let (content, response) = try await operation.data()
    /// print(response.statusCode, content.count)
    /// ```
    ///
    /// - Throws: the operation's error; `OperationDependencyError`, as ``HTTPRequestOperation/value()``.
    public func data() async throws -> (Data, HTTPURLResponse) {
        try await waitForEnd()
        if let error { throw error }
        guard let response = response as? HTTPURLResponse else {
            throw URLError(
                .badServerResponse, url: request.url, method: request.httpMethod,
                reason: "the response is none of HTTP's")
        }
        return (responseData ?? Data(), response)
    }

    /// Waits for the end, and starts the operations that no other code will start.
    func waitForEnd() async throws {
        // Nothing is begun when an upstream can never end.
        let chain = try unclaimedChain()
        let runtime = runtime
        await withCancellation(on: runtime) {
            await waitUntilEnded { Self.start(chain) }
        } by: {
            self.cancel()
            // A cancelled operation ends when it is started, whatever it depends on.
            Self.start([self])
        }
    }

    /// The stream that the operation's content goes to, for one more sequence.
    func responseStream() -> ResponseStream {
        let (stream, isNew, attempt) = lock.withLock { () -> (ResponseStream, Bool, RequestAttempt?) in
            let known = _configuration.value.stream
            let stream = known ?? ResponseStream()
            stream.addReader()
            if known == nil { _mutableConfiguration.stream = stream }
            return (stream, known == nil, _attempt)
        }
        if isNew {
            whenFinished { stream.end() }
            if let attempt { runtime.onNetworkThread { attempt.adoptStream() } }
        }
        return stream
    }

    /// True if the user has set a place for content.
    var hasPlaceForContent: Bool {
        lock.withLock { _configuration.value.outputStream != nil || _configuration.value.downloadDestination != nil }
    }

    /// Tells the server which event came last; empty: none.
    func setLastEventID(_ id: String) {
        lock.withLock { _request.setValue(id.isEmpty ? nil : id, forHTTPHeaderField: "Last-Event-ID") }
    }

    private func acceptEvents() {
        lock.withLock {
            guard !_machine.hasBegun, _request.value(forHTTPHeaderField: "Accept") == nil else { return }
            _request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        }
    }
}
