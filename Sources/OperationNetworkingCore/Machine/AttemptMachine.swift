// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The decisions of one attempt as a pure value: which request goes out next, and what a response means.
///
/// An attempt is a chain of transfers, from the operation's request over redirects and challenges to the response that
/// counts. For each transfer the owner calls, in this order:
///
/// 1. `beginTransfer`, and sends `request`, with a range when that is asked for;
/// 2. `receive`, for the head of the response: where its content goes;
/// 3. `followUp`, at the transfer's end: what comes next. A question is answered by `take`, with another follow-up.
///
/// | response                                   | content   | follow-up                                         |
/// |--------------------------------------------|-----------|---------------------------------------------------|
/// | redirect to http, with pins; one too many; or none may be followed | discarded | `fail`                    |
/// | redirect                                   | discarded | `follow`; held and `ask` with a redirect block    |
/// | 401 that something answers                 | discarded | `answer`; held and `ask` with a challenge block   |
/// | 206 that goes on where we are              | accepted  | `deliver`                                         |
/// | another 206, a coded 2xx; 416 for less; 206 or 416 of another URL | discarded | `startOver`                |
/// | 206 to a download that asked for all       | discarded | `fail`                                            |
/// | 416 for just what is here                  | discarded | `complete`                                        |
/// | 304 to a condition of the cache's          | discarded | `refresh`                                         |
/// | 5xx, and a stale response may be used      | discarded | `serve`                                           |
/// | any other                                  | accepted  | `deliver`                                         |
/// | none: a handshake that a block may rescue  | –         | `ask`                                             |
/// | none: no connection, and a stale response may be used | – | `serve`                                        |
/// | lost, after a pause that held its connection | –       | `sendAgain`, for what is missing                  |
/// | none: any other error                      | –         | `fail`                                            |
///
/// Discarded content is waited for a second at most. Held content may be wanted: it comes as any other does, as long as
/// the request's time-out lets it. Should it fail, the question is asked all the same, and only a block that then wants
/// the response itself gets the error: `deliver` is `fail`.
///
/// Before the transfer, once for each request, `wantsLookup` says whether the cache is to be asked, and `take` says
/// what follows from its answer: see `AttemptMachine+Cache`. A stored response goes through `receive` and `followUp`
/// like one that comes from a server.
struct AttemptMachine: ~Copyable {
    /// The settings of the operation that the decisions depend on.
    struct Circumstances {
        var hasRedirectBlock = false
        var redirectRules = RedirectPolicy.Rules.standard
        /// False if there is no caller to ask whether a redirect may be followed: then none is.
        var followsRedirects = true
        var hasChallengeBlock = false
        /// The credential storage is the user's own: it may take its time.
        var hasOwnStorage = false
        var hasCacheBlock = false
        /// The server's certificate is pinned.
        var hasPins = false
        /// The content is to be a file.
        var isDownload = false
        /// The representation that the content so far is a part of.
        var representation: Representation?
        /// The transfer was held during a pause, and the request may be sent again.
        var mayReplaceLostTransfer = false
        /// The function that returns the URL to ask in place of an `http` URL; nil: such URLs are asked as they are.
        var secureURL: ((URL) -> URL?)?
        /// Seconds since 1970; asked for where a stored response may be used in place of an error.
        var now: () -> Double = { 0 }
    }

    /// The destination of a response's content.
    enum HeadDecision {
        /// To the sink.
        case accept
        /// Kept until a question is answered.
        case hold
        /// Nowhere.
        case discard
    }

    /// The step that comes after a transfer.
    enum FollowUp {
        /// The response counts.
        case deliver
        /// The rest of the representation is here already.
        case complete
        /// The same request again, answering a challenge.
        case answer(ChallengeAnswer)
        /// Another request, following a redirect.
        case follow(URLRequest)
        /// The server does not continue what we have: once more, for all of it.
        case startOver
        /// The same request again, under what a block answered about the handshake, or the cache.
        case sendAgain
        /// A stored response takes the place of the server's.
        case serve(StoredResponse, CacheDecision.Service)
        /// The server confirmed the stored response: it counts, with what the server says anew.
        case refresh(StoredResponse, ResponseHead)
        indirect case ask(Question)
        case fail(any Error)
    }

    /// A question that only the user's code can answer.
    enum Question {
        case redirect(URLRequest, ResponseHead)
        /// The credential that the user's own storage has for a challenge.
        case credential(HTTPChallenge, ResponseHead)
        case challenge(HTTPChallenge, ResponseHead)
        case handshake(HandshakeChallenge)
        /// The user's decision on caching the response, which counts in any case.
        case cache
        /// The responses that the cache has for the request.
        case lookup
    }

    /// Finds the credential for a challenge without asking the user. Receives the URL that sent the challenge, and true
    /// if that URL has the operation's origin.
    typealias CredentialSource = (HTTPChallenge, URL, _ isWithinOrigin: Bool) -> URLCredential?

    /// The request to send.
    private(set) var request: URLRequest
    /// The header fields that interceptors have set: for the origin of the operation's own request only. Names in small
    /// letters.
    let confinedFields: Set<[UInt8]>
    /// The time when an attempt before this one ended whose response was not good enough, in seconds since 1970; nil:
    /// none did.
    let rejectionTime: Double?
    /// The URL of the operation's own request. What the operation identifies itself with is for that origin.
    private(set) var originalURL: URL?
    /// The present request goes where the operation's own goes.
    private(set) var isUnchanged = true
    /// The URL of the present request, or, before the first transfer, of the next request.
    private(set) var url: URL?
    /// The answer to 401 responses of the present origin; another one for each request.
    var challengeAnswer: ChallengeAnswer?
    var handshakeAnswers: HandshakeAnswers?
    var challengeFailures = 0
    /// Answers to one server that were made anew because it found their nonce stale.
    private var renewals = 0
    private(set) var hops = 0
    /// The byte at which the transfer under way continues; 0 requests the full content.
    private(set) var offset: Int64 = 0
    /// The head of the present transfer's response.
    private(set) var head: ResponseHead?
    private var asksForRange = true
    var rangeProgress = RangeProgress()
    private var next = FollowUp.deliver
    /// The reason that the content held for a question is not whole.
    var heldError: TransferError?
    /// The cache's part in the present request: see `AttemptMachine+Cache`.
    var cache = CacheUse()

    /// Answers to one server's challenges after which its refusal is the result, whatever a block says.
    static let maximumAnswers = 20

    init(request: URLRequest, confinedFields: Set<[UInt8]> = [], rejectionTime: Double? = nil) {
        self.request = request
        self.confinedFields = confinedFields
        self.rejectionTime = rejectionTime
        originalURL = request.url
        url = request.url
    }

    /// Returns true if a URL has the origin that the operation was made for, wherever redirects lead.
    func isWithinOrigin(_ url: URL) -> Bool {
        guard hops > 0, let originalURL else { return true }
        return Origin.isSame(originalURL, url)
    }

    // MARK: Before a transfer

    /// The present request is sent with other content.
    mutating func replaceBodyStream(by stream: InputStream?) {
        request.httpBodyStream = stream
        cache.isCacheable = nil
        isUnchanged = false
    }

    /// The present request goes to the same place by a safer way, which counts as the same origin.
    mutating func upgrade(to url: URL) {
        request.url = url
        if hops == 0 { originalURL = url }
        isUnchanged = false
    }

    /// A transfer to `url` begins. Should it fail before its response, what the one before said is not done again.
    mutating func beginTransfer(to url: URL) {
        self.url = url
        next = .deliver
        heldError = nil
        head = nil
        offset = 0
        cache.isServing = false
    }

    /// Returns true if the present request is to ask only for what is missing (RFC 9110, sections 13.1.5 and 14.2).
    ///
    /// - Parameters:
    ///   - accepted: bytes that are here.
    ///   - representation: what they are a part of.
    mutating func asksForRest(after accepted: Int64, of representation: Representation?) -> Bool {
        guard accepted > 0, asksForRange, cache.validating == nil, representation != nil,
            request.httpMethod ?? "GET" == "GET",
            request.value(forHTTPHeaderField: "Range") == nil
        else { return false }
        offset = accepted
        return true
    }

    // MARK: A response's head

    /// - Parameter credential: is asked for the first challenge.
    mutating func receive(
        _ head: ResponseHead, _ circumstances: Circumstances, credential: CredentialSource
    ) -> HeadDecision {
        self.head = head
        next = followUp(for: head, circumstances, credential)
        switch next {
        case .deliver: return .accept
        case .ask: return .hold
        case .complete, .startOver, .answer, .follow, .sendAgain, .serve, .refresh, .fail: return .discard
        }
    }

    private mutating func followUp(
        for head: ResponseHead, _ circumstances: Circumstances, _ credential: CredentialSource
    ) -> FollowUp {
        if let followUp = followUpByCache(for: head, circumstances) { return followUp }
        if let url,
            var redirected = RedirectPolicy.next(
                after: request, at: url, for: head, by: circumstances.redirectRules,
                secureURL: circumstances.secureURL)
        {
            guard circumstances.followsRedirects else {
                return .fail(
                    URLError(
                        .httpTooManyRedirects, url: url,
                        reason: "the server redirects a request that nobody waits for, which follows no redirect"))
            }
            if !confinedFields.isEmpty, let target = redirected.url, !Origin.isSame(url, target) {
                redirected.keepFields { !confinedFields.contains($0.utf8.map(\.lowercasedASCII)) }
            }
            if circumstances.hasPins, let target = redirected.url, RedirectPolicy.leavesTLS(from: url, to: target) {
                return .fail(
                    URLError(
                        .appTransportSecurityRequiresSecureConnection, url: url,
                        reason: "the server redirects to http, where the security policy's pins prove nothing; ask for "
                            + "the http URL itself, with another policy, if it is to be trusted"))
            }
            // No question is asked about a redirect that is not followed.
            guard hops < RedirectPolicy.maximumHops else {
                return .fail(
                    URLError(
                        .httpTooManyRedirects, url: url, reason: "more than \(RedirectPolicy.maximumHops) redirects"))
            }
            return circumstances.hasRedirectBlock ? .ask(.redirect(redirected, head)) : .follow(redirected)
        }
        if head.statusCode == 401, let challenge = HTTPChallenge(head: head) {
            let mayAnswerMore = challengeFailures + renewals < Self.maximumAnswers
            if mayAnswerMore, let renewed = challengeAnswer?.renewed(by: challenge) {
                renewals += 1
                return .answer(renewed)
            }
            if circumstances.hasOwnStorage, challengeFailures == 0 { return .ask(.credential(challenge, head)) }
            if circumstances.hasChallengeBlock, mayAnswerMore { return .ask(.challenge(challenge, head)) }
            if let answer = defaultAnswer(to: challenge, credential) { return answer }
        }
        guard offset > 0, let representation = circumstances.representation else {
            return refusalOfPart(head, circumstances) ?? .deliver
        }
        switch head.statusCode {
        // Not what a range was asked of; the request without one is for coded content, too. An error's is its own.
        case 200..<300 where !ContentDecoder.codings(of: head).isEmpty:
            return .startOver
        case 206:
            return representation.isContinued(by: head, from: offset, at: url) ? .deliver : .startOver
        case 416:
            return representation.isComplete(by: head, of: offset, at: url) ? .complete : .startOver
        default:
            return .deliver
        }
    }

    /// Fails a part that the request did not ask for: it must not go where a whole file belongs.
    private func refusalOfPart(_ head: ResponseHead, _ circumstances: Circumstances) -> FollowUp? {
        guard head.statusCode == 206, circumstances.isDownload,
            request.value(forHTTPHeaderField: "Range") == nil
        else { return nil }
        return .fail(
            URLError(
                .cannotParseResponse, url: url,
                reason: "the server sent a part of the content (206), although all of it was asked for"))
    }

    /// The response continues what is here.
    var continuesContent: Bool { offset > 0 && head?.statusCode == 206 }

    /// The response is the whole content, although a rest was asked for.
    mutating func contentBeginsAnew() { offset = 0 }

    // MARK: A transfer's end

    /// Returns the step that comes after a transfer that ended with `error`, or whole.
    mutating func followUp(after error: TransferError?, _ circumstances: Circumstances) -> FollowUp {
        if let error, !dropsContent {
            if let challenge = handshakeChallenge(error, circumstances) { return .ask(.handshake(challenge)) }
            if circumstances.mayReplaceLostTransfer, [.connectionLost, .timedOut].contains(error.kind) {
                return .sendAgain
            }
            if let followUp = followUpByCache(after: error, circumstances) { return followUp }
            guard case .ask = next else { return .fail(error.failure(url: url)) }
            heldError = error
            return next
        }
        if case .deliver = next, circumstances.hasCacheBlock, !cache.isServing, request.httpMethod ?? "GET" == "GET" {
            return .ask(.cache)
        }
        return next
    }

    /// True if neither the present response's content nor the way it ended matters.
    private var dropsContent: Bool {
        switch next {
        case .answer, .follow, .startOver, .complete, .serve, .refresh: head != nil
        case .sendAgain: head?.statusCode == 304
        case .deliver, .ask, .fail: false
        }
    }

    /// After a response has begun the request is not sent again, whatever a block would say.
    private func handshakeChallenge(_ error: TransferError, _ circumstances: Circumstances) -> HandshakeChallenge? {
        guard circumstances.hasChallengeBlock, handshakeAnswers?.count ?? 0 < Self.maximumAnswers, head == nil else {
            return nil
        }
        return HandshakeChallenge(error)
    }

    // MARK: The next transfer

    mutating func askForAllNext() { asksForRange = false }

    /// Makes `redirected` the request to send.
    mutating func follow(_ redirected: URLRequest) {
        hops += 1
        isUnchanged = false
        // A credential answers for the origin that asked for it.
        if let url, let target = redirected.url, !Origin.isSame(url, target) {
            challengeAnswer = nil
            handshakeAnswers = nil
        }
        challengeFailures = 0
        renewals = 0
        cache = CacheUse()
        request = redirected
    }
}
