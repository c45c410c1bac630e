// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// One attempt of an operation at its response: does what `AttemptMachine` decides, one transfer after the other.
///
/// Belongs to the network thread, from which everything but `prepare()` is called. Holds its operation while it is
/// under way, except while it is held in its place: then only an owner of the operation can let it go on, and the
/// release of the operation ends the attempt.
// Sendable because all mutable state is touched on the network thread only, or, by `prepare()`, before any other thread
// has seen the object. Other threads read `operation`, for questions and for what sinks have to tell: then it does not
// change, because that is what the attempt waits for.
final class RequestAttempt: @unchecked Sendable {
    /// The reason that nothing of the attempt counts any more.
    enum Stop { case paused, cancelled, timedOut }

    /// Nil: it is gone, and the attempt is about to be ended.
    var operation: URLConnectionOperation? { holder ?? released }
    /// Nil while the attempt is held.
    @exclusivity(unchecked) private var holder: URLConnectionOperation?
    /// The operation meanwhile.
    private weak var released: URLConnectionOperation?
    let runtime: any OperationRuntime
    let number: UInt
    /// As it was when the latest response began: blocks and places set after the start count.
    // This and what else is looked at all the time is on one thread, and nothing is called while one of them is
    // changed: no need for a check of that each time.
    @exclusivity(unchecked) var configuration: URLConnectionOperation.SharedConfiguration
    let content: ResumableContent
    /// The object that is asked and informed in addition to the operation's blocks.
    let client: (any AttemptClient)?
    private let questions: ClientInterests
    let startDate = Date()
    private let startTime = MonotonicClock.now
    /// The body stream of the operation's request, even if redirects change the request.
    private let bodyStream: InputStream?
    /// The target of the operation's own request, if it is known.
    let firstTarget: RequestTarget?
    @exclusivity(unchecked) var machine: AttemptMachine
    /// Made when a request begins, and asked for again when its response is stored.
    @exclusivity(unchecked) var lastCacheKey: CacheKey?

    /// The settings that the present request was sent under.
    @exclusivity(unchecked) var terms: RequestTerms?
    /// The transfer under way.
    @exclusivity(unchecked) var transfer: Transfer?
    @exclusivity(unchecked) private(set) var stop: Stop?
    /// Paused without being stopped: what happens is looked at when the attempt goes on.
    @exclusivity(unchecked) private var isHeld = false
    /// The transfer under way was, and its connection may not have lasted.
    @exclusivity(unchecked) private(set) var wasHeld = false
    /// The attempt has ended by that, perhaps not yet for the operation, which is held: the transfer's end is ignored.
    @exclusivity(unchecked) private(set) var hasFailedSink = false
    /// A block of the user's, or what stores cookies, has been asked and has not answered.
    @exclusivity(unchecked) var isAsking = false
    /// The credential that the user's own storage had for a challenge.
    var storedCredential: (challenge: HTTPChallenge, url: URL, credential: URLCredential?)?
    /// The work that was postponed while the attempt was held.
    private var postponed: (@Sendable () -> Void)?

    /// The decoder of the content of the transfer under way.
    enum Decoding {
        /// The engine.
        case engine
        /// The sink, since it may pause: the engine goes on decoding after a pause, into memory.
        case sink
        /// No part of the library: the request says itself what it accepts, or asks for a range.
        case nobody
    }
    @exclusivity(unchecked) var decoding = Decoding.engine

    /// The response that is being received.
    @exclusivity(unchecked) var incoming = IncomingContent()
    /// The part of a stored response that was not yet handed to its place.
    var playback: Data?
    /// The time when the cache was asked about the present request; nil where no metrics are wanted.
    var lookupTime: TimeInterval?
    /// The times when the present request was sent and its response began, in seconds since 1970.
    @exclusivity(unchecked) var requestTime = 0.0
    @exclusivity(unchecked) var responseTime = 0.0
    /// The cookies of the present response are on their way into the storage: what follows waits for that.
    var isStoringCookies = false
    /// The work that waits for the cookies.
    var afterCookies: (@Sendable () -> Void)?
    /// The `Cookie` field of the present request that the library added.
    @exclusivity(unchecked) var sentCookies: String?
    @exclusivity(unchecked) var timings: TransferTimings?
    @exclusivity(unchecked) var bytesSent: Int64 = 0
    @exclusivity(unchecked) var uploadLength: Int64 = -1
    // Made by the first report: most requests report no progress.
    lazy var downloadProgress = ProgressReporter(.download)
    lazy var uploadProgress = ProgressReporter(.upload)

    /// The place of the present response's content, and the expected length.
    struct IncomingContent {
        enum Place {
            /// The operation's sink.
            case sink
            /// Kept until it is known whether the response counts.
            case held(MemorySink)
            /// Apart from the sink: content of an error response, which does not go to the place of the real one.
            case diverted(MemorySink)
        }
        var place = Place.sink
        /// A copy of what goes to a client's reader, as far as the cache may want it.
        var copy: MemorySink?
        /// The response is the operation's.
        var isAccepted = false
        /// All of its content has come and was handed on.
        var isComplete = false
        /// Its end is being written, on another thread, which looks at `operation` when it is.
        var isWriting = false
        /// In which form content comes.
        var form = ContentForm.plain
        /// Content length of the whole; −1: unknown.
        var expectedLength: Int64 = -1
    }

    init(
        operation: URLConnectionOperation, number: UInt, request: URLRequest, target: RequestTarget?,
        configuration: URLConnectionOperation.SharedConfiguration, content: ResumableContent,
        confinedFields: Set<[UInt8]> = [], rejectionTime: Double? = nil
    ) {
        holder = operation
        runtime = configuration.value.runtime ?? Runtime.current
        client = operation.attemptClient
        questions = client?.interests ?? []
        self.number = number
        self.configuration = configuration
        self.content = content
        machine = AttemptMachine(request: request, confinedFields: confinedFields, rejectionTime: rejectionTime)
        bodyStream = request.httpBodyStream
        firstTarget = target
    }

    var circumstances: AttemptMachine.Circumstances {
        AttemptMachine.Circumstances(
            hasRedirectBlock: configuration.value.redirectBlock != nil || asksClient(.redirects),
            redirectRules: client == nil ? .standard : .urlSession,
            followsRedirects: configuration.value.followsRedirects,
            hasChallengeBlock: configuration.value.challengeBlock != nil || asksClient(.challenges),
            hasOwnStorage: ownStorage != nil,
            hasCacheBlock: configuration.value.cacheBlock != nil || (content.stream == nil && asksClient(.caching)),
            hasPins: configuration.value.transport.securityPolicy.map { $0.sslPinningMode != .none } ?? false,
            isDownload: configuration.value.downloadDestination != nil,
            representation: machine.offset > 0 ? content.representation : nil,
            mayReplaceLostTransfer: wasHeld && operation?.mayRepeatRequest == true
                && (asksClient(.bodyStreams) || bodyStream.map(content.needsAnother(for:)) != true),
            secureURL: configuration.value.transport.strictTransportSecurity.map { security in
                { security.secureURL(for: $0) }
            },
            now: { [runtime] in runtime.date.timeIntervalSince1970 })
    }

    func asksClient(_ question: ClientInterests) -> Bool {
        questions.contains(question)
    }

    /// Seconds since 1970.
    var now: Double { runtime.date.timeIntervalSince1970 }

    /// Takes up what was set since the attempt began.
    func takePresentConfiguration() {
        if let present = operation?.presentConfiguration { configuration = present }
    }

    func assertOnThread() { assert(runtime.isNetworkThread, "not on the network thread") }

    // MARK: Sending

    /// Makes the first transfer, on any thread, before any other thread knows the attempt; nil: `send()` is to ask the
    /// cache first.
    ///
    /// - Throws: a `URLError`, when the request cannot be sent.
    func prepare() throws -> Transfer? {
        upgradeToTLS()
        guard !looksIntoCache() else { return nil }
        content.claim(for: self)
        let transfer = Transfer(request: try makeTransferRequest(), handler: self)
        self.transfer = transfer
        return transfer
    }

    /// Releases a first transfer that will never be started. Before any other thread knows the attempt.
    func abandon() { transfer = nil }

    /// Makes and starts the next transfer.
    func send() {
        assertOnThread()
        guard stop == nil else { return }
        guard !isHeld else { return postpone { [self] in send() } }
        // Nothing of an earlier attempt writes any more when this one reads how far it came.
        content.claim(for: self)
        guard stop == nil else { return }
        wasHeld = false
        incoming = IncomingContent()
        upgradeToTLS()
        guard !looksIntoCache() else {
            return lookIntoCache()
        }
        guard !askForBodyStream() else { return }
        do {
            let transfer = Transfer(request: try makeTransferRequest(), handler: self)
            self.transfer = transfer
            timings = nil
            runtime.start(transfer)
        } catch {
            finish(error: error)
        }
    }

    // MARK: Being stopped or held

    /// Ends the attempt: nothing of it counts any more. One that was cancelled, or took too long, ends its operation.
    func end(by stop: Stop) {
        assertOnThread()
        guard self.stop == nil else {
            // What is left of one that took too long, while it was held, is its end: a cancellation does not wait for
            // it, and a pause has another.
            guard stop != .timedOut, let ending = postponed.take() else { return }
            if stop == .cancelled {
                isHeld = false
                ending()
            }
            return
        }
        self.stop = stop
        // One that was held on its connection does not hold its operation, which the end is for.
        if stop != .paused, holder == nil { holder = released }
        postponed = nil
        playback = nil
        if let transfer {
            // Reported by the transfer's end.
            runtime.cancel(transfer)
        } else {
            finishStopped(during: isAsking ? .block : .writing)
        }
    }

    /// - Parameter phase: what the attempt was about when it was stopped.
    private func finishStopped(during phase: @autoclosure () -> URLConnectionOperation.TimedPhase) {
        switch stop {
        case nil: break
        // No answer is awaited, and no sink is about to report its end: see `operation`. A sink holds the attempt on.
        case .paused: if !isAsking, !incoming.isComplete { forgetOperation() }
        case .cancelled: finishCancelled()
        case .timedOut: finish(error: operation?.totalTimeoutError(phase()))
        }
    }

    /// The phase of the transfer that has just ended.
    private var transferPhase: URLConnectionOperation.TimedPhase { .transfer(timings?.phase ?? .connecting) }

    /// Holds the attempt in its place, because its request may not go out twice, or lets it go on: as the operation
    /// stands now, since the news of a pause and of the resume after it may come in either order.
    func followOperation() {
        assertOnThread()
        guard stop == nil || stop == .timedOut, let operation else { return }
        switch operation.standing(ofAttempt: number) {
        case .held:
            isHeld = true
            if let transfer {
                wasHeld = true
                runtime.hold(transfer)
            }
            letGoOfOperation()
        case .present:
            isHeld = false
            if holder == nil { holder = operation }
            if let transfer { runtime.release(transfer) }
            if let postponed = postponed.take() { postponed() }
        case .stale:
            break
        }
    }

    /// Ends the attempt, because its operation was released. On any thread.
    func operationIsGone() {
        runtime.onNetworkThread { [self] in
            end(by: .paused)
            content.discard()
        }
    }

    /// Keeps work for when the attempt goes on.
    func postpone(_ work: @escaping @Sendable () -> Void) {
        assertOnThread()
        isHeld = true
        postponed = work
        letGoOfOperation()
    }

    /// From now on, until the attempt goes on, the operation is held by others only, if nothing is under way elsewhere.
    private func letGoOfOperation() {
        if !isAsking, transfer != nil || postponed != nil { forgetOperation() }
    }

    private func forgetOperation() {
        guard let operation = holder.take() else { return }
        released = operation
        // It may be the last reference, and what goes with the operation is the user's: not on this thread.
        runtime.later { withExtendedLifetime(operation) {} }
    }

    // MARK: The end

    /// The attempt is over, one way or the other. The operation takes the first call.
    func finish(error: (any Error)?, data: Data? = nil, content state: AttemptEnd.Content = .kept) {
        // As the request was when it failed: a redirect may have changed its method.
        let error = error?.naming(machine.request.httpMethod)
        var end = AttemptEnd(error: error, data: data, content: state, startDate: startDate, startTime: startTime)
        end.isRepeatable = stop == nil && isRepeatable(after: error)
        // Of this very response: without a question there is no verdict to wait for.
        if client != nil, stop == nil, incoming.isAccepted, case .sink = incoming.place,
            (error as? URLError)?.code == .networkConnectionLost
        {
            content.stream?.keepUndecided()
        }
        if state == .read, end.isRepeatable { content.forgetResponse() }
        finish(end)
        // A sink that is to be continued holds the attempt, and the operation holds the sink: here the cycle is broken.
        if state == .kept, content.sink != nil, content.memory == nil, !isHeld, !isAsking, !incoming.isWriting {
            forgetOperation()
        }
    }

    /// On any thread, when the content was written.
    private func finish(_ end: AttemptEnd) {
        var outcome = end
        let decoded = end.data.map { Int64($0.count) } ?? content.sink?.bytesDecoded ?? 0
        outcome.measured = timings.map {
            MeasuredAttempt(
                $0, redirectCount: machine.hops, decodedBytes: decoded, cacheOutcome: machine.cache.outcome)
        }
        guard operation?.endAttempt(number, with: outcome) == .held else { return }
        // Asked once more there, where the news of a resume cannot come in between.
        guard runtime.isNetworkThread else { return runtime.onNetworkThread { [self] in finish(end) } }
        postpone { [self] in finish(end) }
    }

    /// The content went to its place, or did not get there. On any thread: the sink's.
    func finish(writing error: (any Error)?) {
        finish(
            AttemptEnd(
                error: error.map { URLError(TransferError(sink: $0), url: machine.url) },
                content: error == nil ? .written : .kept, startDate: startDate, startTime: startTime))
    }

    /// Returns true if another attempt could do better: not where content cannot go, or a request's stream was read.
    private func isRepeatable(after error: (any Error)?) -> Bool {
        assertOnThread()
        switch (error as? URLError)?.code {
        case .cannotWriteToFile, .cannotCreateFile, .cannotDecodeRawData, .dataLengthExceedsMaximum,
            .requestBodyStreamExhausted:
            return false
        default:
            return content.canBeRepeated(sending: bodyStream)
        }
    }

    func finishCancelled() { finish(error: URLError.cancelled(url: machine.url)) }

    /// Returns true if what follows may happen now: not after a stop, and later while the attempt is held.
    func goesOn(_ work: @escaping @Sendable () -> Void) -> Bool {
        assertOnThread()
        switch stop {
        case .paused, .cancelled, .timedOut:
            finishStopped(during: transferPhase)
            return false
        case nil:
            guard isHeld else { return true }
            postpone(work)
            return false
        }
    }
}

extension RequestAttempt: ResponseSinkEvents {
    func sinkHasSpace() {
        runtime.onNetworkThread { [self] in
            if let transfer { runtime.resumeReceiving(transfer) } else { play() }
        }
    }

    func atRest(_ work: @escaping @Sendable () -> Void) { runtime.atNetworkRest(work) }

    func sinkFailed(_ error: any Error) {
        runtime.onNetworkThread { [self] in
            guard stop == nil else { return }
            hasFailedSink = true
            finish(error: URLError(TransferError(sink: error), url: machine.url))
            if let transfer { runtime.cancel(transfer) }
        }
    }
}
