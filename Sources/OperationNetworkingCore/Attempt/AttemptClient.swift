// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
package import NetworkingTransport

/// The object that an attempt asks and informs, in addition to the blocks of its operation: the task of a session.
///
/// Called on the network thread, the first `willSend` on the thread that begins the operation; never with a lock held.
/// Nothing may block. A question may be answered at once or later, on any thread; the first answer counts.
package protocol AttemptClient: AnyObject, Sendable {
    /// The questions and reports that it wants, the same for a whole attempt. Where the operation has a block for a
    /// question, the block is asked instead.
    var interests: ClientInterests { get }
    /// Header fields of requests that have none of these names.
    var defaultHeaderFields: [HeaderField] { get }
    /// A request goes out, or is answered by the cache: the operation's own, or one that follows a redirect or answers
    /// a challenge.
    func attemptWillSend(_ request: URLRequest)
    /// - Parameter answer: nil: the redirecting response is the result.
    func attempt(
        proposes redirected: URLRequest, after response: HTTPURLResponse,
        answer: @escaping @Sendable (URLRequest?) -> Void)
    func attempt(
        received challenge: URLAuthenticationChallenge,
        answer: @escaping @Sendable (AuthenticationDisposition) -> Void)
    /// The request has to be sent again, and its stream was read.
    func attempt(needsBodyStream answer: @escaping @Sendable (InputStream?) -> Void)
    /// A complete response may be kept. Answered with nil, it is not.
    func attempt(willCache response: CachedURLResponse, answer: @escaping @Sendable (CachedURLResponse?) -> Void)
    /// - Parameter expected: −1: unknown.
    func attemptDidSend(total: Int64, expected: Int64)
    /// Content of the response that counts was taken.
    ///
    /// - Parameters:
    ///   - total: with what was there before a pause or an earlier run. Of a file that is decoded on the way: its
    ///     bytes.
    ///   - expected: −1: unknown.
    func attemptDidReceive(total: Int64, expected: Int64)
    /// The server continues what is here.
    func attemptDidContinue(at offset: Int64, expected: Int64)
    /// A request was answered, by a server or the cache, or failed. Called where the questions name `.metrics`.
    func attemptDidTransfer(_ exchange: TransferExchange)
}

/// The questions and reports that a client of an attempt, or of a session's task, wants.
package struct ClientInterests: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The question about following a redirect.
    package static let redirects = ClientInterests(rawValue: 1)
    /// The question about the answer to a challenge.
    package static let challenges = ClientInterests(rawValue: 1 << 1)
    /// The question for another stream when the request has to be sent again.
    package static let bodyStreams = ClientInterests(rawValue: 1 << 2)
    /// The question about keeping a response in the cache.
    package static let caching = ClientInterests(rawValue: 1 << 3)
    /// The report about each exchange, for metrics.
    package static let metrics = ClientInterests(rawValue: 1 << 4)
}

/// One request and what came of it, for metrics.
package struct TransferExchange: Sendable {
    package let request: URLRequest
    package let url: URL?
    package let head: ResponseHead?
    package let timings: TransferTimings
    /// Bytes of the request's content, before it was sent; −1: unknown.
    package let uploadLength: Int64
    package let usesProxy: Bool
    /// The time when the cache was asked, if it had the response; nil: a server had it. All times here are in seconds
    /// of the runtime's uptime, which no change of the clock affects.
    package var lookupTime: TimeInterval?
    /// For what was no request of an attempt: a response without a head, and the time when it was asked for.
    package var own: (response: URLResponse?, beginning: TimeInterval)?
    package let endTime: TimeInterval

    package init(
        request: URLRequest, url: URL?, head: ResponseHead?, timings: TransferTimings, uploadLength: Int64,
        usesProxy: Bool,
        lookupTime: TimeInterval? = nil, own: (response: URLResponse?, beginning: TimeInterval)? = nil,
        endTime: TimeInterval
    ) {
        self.request = request
        self.url = url
        self.head = head
        self.timings = timings
        self.uploadLength = uploadLength
        self.usesProxy = usesProxy
        self.lookupTime = lookupTime
        self.own = own
        self.endTime = endTime
    }
}
