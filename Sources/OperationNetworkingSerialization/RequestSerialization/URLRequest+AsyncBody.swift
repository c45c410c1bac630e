// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

extension URLRequest {
    /// Makes the elements of an asynchronous sequence the request's content. They are sent as they come, one at a time,
    /// and the sequence waits while the network is slower.
    ///
    /// The sequence is read once, by a task that begins when the request is sent and is cancelled with it. So the
    /// request has one attempt: where it would have to be sent again (a redirect with 307 or 308, a challenge after the
    /// content was sent), the operation ends with `URLError.requestBodyStreamExhausted`. A pause keeps its connection.
    /// An error that the sequence throws is the underlying error of the same.
    ///
    /// - Parameters:
    ///   - chunks: the content, in order; empty elements are skipped. The setting replaces any other content.
    ///   - contentLength: bytes in all, for the `Content-Length` field; a sequence that gives less, or more with
    ///     the element that reaches it, ends the operation with `URLError.requestBodyStreamExhausted`. Nil by default:
    ///     sent in chunked coding.
    public mutating func setHTTPBody<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, contentLength: Int64? = nil
    ) where Chunks.Element == Data {
        httpBodyStream = AsyncBodyStream(contentLength: contentLength) { $0.start(chunks) }
    }
}
