internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// One attempt of an operation: the transfers from the first request over redirects and challenges to the response that
/// counts. Holds its operation while it is under way.
// Sendable because `control` is behind a lock and every other mutable field is touched on the network thread only, or
// before the first transfer was handed to the engine.
final class Exchange: @unchecked Sendable {
    /// What other threads reach.
    private struct Control {
        var transfer: Transfer?
        /// Nothing was sent yet: a thread that is not the network's prepares the first request, and looks here when it
        /// has done so.
        var isBeginning = true
        var isCancelled = false
        /// The operation was paused: nothing of this attempt counts any more.
        var isDetached = false
    }

    /// What follows when the present transfer has ended.
    enum NextStep {
        /// The response counts: its content goes to the sink.
        case deliver
        /// The rest of the representation is here already.
        case complete
        /// The same request again, answering a challenge; the content was dropped.
        case answer(ChallengeAnswer)
        /// Another request, following a redirect; the content was dropped.
        case follow(URLRequest)
        /// The user's block decides about a redirect; the content is held.
        case askRedirect(URLRequest, ResponseHead)
        /// The user's block answers a challenge; the content is held.
        case askChallenge(HTTPChallenge, ResponseHead)
        /// The handshake failed over what the user's block may know better.
        indirect case askHandshake(HandshakeChallenge)
        /// The same request again, under what the block answered; nothing was received.
        case sendAgain
        /// The server does not continue what we have: once more, for all of it.
        case startOver
    }

    enum Decoding {
        /// libcurl, which offers what it knows.
        case engine
        /// The sink, since it may pause: libcurl goes on decoding after a pause, into memory.
        case sink
        /// Nobody: the request says itself what it accepts, or asks for a range.
        case nobody
    }

    let operation: URLConnectionOperation
    let attempt: UInt
    /// As it was when the latest response began: blocks and places set after the start count.
    var sharedConfiguration: URLConnectionOperation.SharedConfiguration
    let state: TransferState
    let originalURL: URL?
    private let control = Locked(Control())

    // Confined to the network thread.
    var request: URLRequest
    var url: URL?
    /// What 401 responses of the present origin were answered with.
    var challengeAnswer: ChallengeAnswer?
    var hops = 0
    var challengeFailures = 0
    /// What the user's block answered to handshakes that failed; for one origin.
    var handshakeAnswers: HandshakeAnswers?
    var next = NextStep.deliver
    /// Where the transfer under way continues; 0: it is for the whole.
    var offset: Int64 = 0
    var asksForRange = true
    /// Who takes the content of the transfer under way out of its codings.
    var decoding = Decoding.engine
    /// Content that is kept until it is known whether it counts.
    var held: MemorySink?
    /// Content of an error response, which does not go to the place of the real one.
    var diverted: MemorySink?
    var head: ResponseHead?
    var expectedLength: Int64 = -1
    var uploadLength: Int64 = -1
    var bytesSent: Int64 = 0
    var cookieHeads: [(ResponseHead, URL)] = []
    var timings: TransferTimings?
    // Made by the first report: most requests have nobody to tell.
    lazy var downloadProgress = ProgressReporter(.download)
    lazy var uploadProgress = ProgressReporter(.upload)

    init(
        operation: URLConnectionOperation, attempt: UInt, request: URLRequest,
        configuration: URLConnectionOperation.SharedConfiguration, state: TransferState
    ) {
        self.operation = operation
        self.attempt = attempt
        self.request = request
        originalURL = request.url
        sharedConfiguration = configuration
        self.state = state
    }

    var engine: TransportEngine { .shared }

    var configuration: URLConnectionOperation.Configuration {
        _read { yield sharedConfiguration.value }
    }

    /// Whether this attempt may still write and report.
    var isCurrent: Bool { state.isCurrent(attempt) }

    /// Sends the first request. From any thread.
    func begin() {
        if state.isFirst(attempt) {
            send()
        } else {
            engine.perform { [self] in send() }
        }
    }

    /// Stops the transfer; the operation ends on the network thread. From any thread.
    func cancel() {
        let (transfer, isBeginning) = control.withLock { control -> (Transfer?, Bool) in
            control.isCancelled = true
            return (control.transfer, control.isBeginning)
        }
        if let transfer {
            engine.cancel(transfer)
        } else if !isBeginning {
            engine.perform { [self] in finish(error: URLError.cancelled(url: url)) }
        }
    }

    /// The operation was paused. From any thread.
    func detach() {
        let transfer = control.withLock { control -> Transfer? in
            control.isDetached = true
            return control.transfer
        }
        if let transfer { engine.cancel(transfer) }
    }

    /// Hands the present request to the engine.
    func send() {
        // Should this one fail before its response, what the one before said is not to be done again.
        next = .deliver
        head = nil
        held = nil
        diverted = nil
        let outgoing: TransferRequest
        do {
            outgoing = try makeTransferRequest()
        } catch {
            finish(error: error)
            return
        }
        let transfer = Transfer(request: outgoing, handler: self)
        enum Step { case start, drop, cancelled }
        let step: Step = control.withLock { control in
            control.isBeginning = false
            if control.isDetached { return .drop }
            if control.isCancelled { return .cancelled }
            control.transfer = transfer
            return .start
        }
        switch step {
        case .drop: return
        case .cancelled: finish(error: URLError.cancelled(url: url))
        case .start:
            engine.start(transfer)
        }
    }

    /// The attempt is over, one way or the other. The operation takes the first call.
    func finish(error: (any Error)?, data: Data? = nil) {
        operation.end(
            attempt, error: error, data: data,
            metrics: timings.map { TransferMetrics($0, redirectCount: hops) })
    }

    /// Forgets the transfer that ended. False: the operation was cancelled or paused meanwhile, and that was seen to.
    func releaseTransfer() -> Bool {
        enum Step { case go, drop, cancelled }
        let step: Step = control.withLock { control in
            control.transfer = nil
            if control.isDetached { return .drop }
            return control.isCancelled ? .cancelled : .go
        }
        switch step {
        case .go: return isCurrent
        case .drop: return false
        case .cancelled:
            finish(error: URLError.cancelled(url: url))
            return false
        }
    }

    /// The transfer under way, for commands to the engine.
    var transfer: Transfer? { control.withLock { $0.transfer } }
}

extension Exchange: ResponseSinkEvents {
    func sinkHasSpace() {
        if let transfer { engine.resumeReceiving(transfer) }
    }

    func sinkFailed(_ error: any Error) {
        engine.perform { [self] in
            guard isCurrent else { return }
            finish(error: URLError(TransferError(sink: error), url: url))
            if let transfer { engine.cancel(transfer) }
        }
    }
}
