// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// Who an attempt asks and tells beside the blocks of its operation: the task of a session.
///
/// Called on the network thread, the first `willSend` on the thread that begins the operation; never with a lock held.
/// Nothing may block. A question may be answered at once or later, on any thread; the first answer counts.
protocol AttemptClient: AnyObject, Sendable {
    /// What it wants to be asked and told, the same for a whole attempt. Where the operation has a block for a question, the
    /// block is asked.
    var attemptQuestions: AttemptQuestions { get }
    /// Header fields of requests that have none of these names.
    var defaultHeaderFields: [HeaderField] { get }
    /// A request goes out, or is answered by the cache: the operation's own, or one that follows a redirect or answers a
    /// challenge.
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
    ///   - total: with what was there before a pause or an earlier run. Of a file that is decoded on the way: what it has.
    ///   - expected: −1: unknown.
    func attemptDidReceive(total: Int64, expected: Int64)
    /// The server continues what is here.
    func attemptDidContinue(at offset: Int64, expected: Int64)
    /// A request was answered, by a server or the cache, or failed. Called where the questions name `.metrics`.
    func attemptDidTransfer(_ exchange: TransferExchange)
}

/// What an attempt's client wants to be asked.
struct AttemptQuestions: OptionSet, Sendable {
    let rawValue: UInt8

    /// Whether redirects are followed.
    static let redirects = AttemptQuestions(rawValue: 1)
    /// What answers challenges.
    static let challenges = AttemptQuestions(rawValue: 2)
    /// For another stream when the request has to be sent again.
    static let bodyStreams = AttemptQuestions(rawValue: 4)
    /// Whether a response is kept in the cache.
    static let caching = AttemptQuestions(rawValue: 8)
    /// What each exchange took.
    static let metrics = AttemptQuestions(rawValue: 16)
}

/// One request and what came of it, for metrics.
struct TransferExchange: Sendable {
    let request: URLRequest
    let url: URL?
    let head: ResponseHead?
    let timings: TransferTimings
    /// Bytes of the request's content, before it was sent; −1: unknown.
    let uploadLength: Int64
    let usesProxy: Bool
    /// When the cache was asked that had the response; nil: a server was. As all times here in seconds of the runtime's
    /// uptime, which nobody sets.
    var lookupTime: TimeInterval?
    /// Of what was no request of an attempt's: a response without a head, and when it was asked for.
    var own: (response: URLResponse?, beginning: TimeInterval)?
    let endTime: TimeInterval
}
