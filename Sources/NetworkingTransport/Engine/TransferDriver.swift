// SPDX-License-Identifier: MIT
internal import CCurl
internal import Foundation

/// Drives one transfer at a time on one easy handle: what libcurl's callbacks find behind their pointers.
///
/// Reused from transfer to transfer of one pool, so that a plain request costs neither an allocation nor an option
/// that has not changed. Network thread only.
final class TransferDriver: DeadlineHeapMember {
    let easy: EasyHandle
    let pool: ConnectionPool
    let loop: EngineLoop

    /// The transfer in hand; nil: idle.
    private(set) var transfer: Transfer?
    /// Its handler, taken out once.
    var handler: (any TransferHandler)?

    // MARK: The response

    /// Touched for every line: only on the network thread, and by nothing that calls out meanwhile.
    @exclusivity(unchecked) var collector: ResponseHeadCollector
    /// Whether the handler has seen the head.
    var hasReportedHead = false
    /// A complete head is kept back until libcurl is known not to answer it itself.
    var isHoldingHead = false
    var delivery = BodyDelivery.deliver
    var discardedBytes = 0
    /// When content that is dropped has been waited for long enough; 0: none is dropped.
    var discardDeadline: UInt64 = 0
    /// The response in hand came in HTTP/2, for a request that has content, or with a long head: see `EngineLoop.noteAwaitedEnd(_:)`.
    var awaitsEnd = false
    /// libcurl is to look for the end before long.
    var isLookDue = false
    /// All content has come that was announced, and libcurl goes on all the same.
    var isOverdue = false
    /// Bytes that a proxy sent with its refusal of a tunnel.
    var refusalBytes = 0
    /// Bytes of content that were taken, as they came.
    var contentBytes: Int64 = 0
    /// Content comes out of its codings before the handler sees it.
    var decodesContent = false
    /// What the present content goes through; nil: it comes as it is.
    var decoding: DecodedContent?
    /// The connection was given up on purpose: the exchange counts as complete.
    var endsEarly = false
    /// The request is to be sent once more, on a connection of its own.
    var wantsFreshConnection = false
    /// Times that the request went out, answers to challenges included.
    var sendings = 0
    /// Times that the proxy refused a tunnel for want of authentication.
    var tunnelRefusals = 0
    /// Of a proxy's heads, before there is a tunnel.
    var connectBytes = 0
    /// What CURLINFO_NUM_CONNECTS said when the request was sent last.
    var connectionsMade = 0

    // MARK: What libcurl says of an HTTP/2 connection

    /// libcurl says what it does: see `listen()`.
    var isListening = false
    /// The connection was closed while this transfer was on it.
    var isConnectionClosed = false
    /// And libcurl, or the engine, told why.
    var isEndExplained = false
    /// The stream that the request is on; 0: none, or it is about to leave it, and what it is told next may be about another
    /// connection.
    var stream: UInt32 = 0
    /// libcurl repeats the request only where its stream was refused, and says so.
    var hearsOfRefusals = false

    // MARK: The request's content

    var body = TransferBody.none
    /// Bytes promised; nil: unknown.
    var bodyLength: Int64?
    /// Bytes handed to libcurl in this attempt.
    var bodyOffset: Int64 = 0
    /// When bytes were handed to libcurl last; 0: none were.
    var sentTime: UInt64 = 0
    /// There is a connection to send the request on: header lines before that are a proxy's answer to CONNECT.
    var isConnected = false
    /// That answer is a refusal for want of a credential.
    var isRefusedByProxy = false
    var isSourceOpen = false
    /// Counts rewinds, so that a wake-up for an earlier attempt is told apart.
    var attempt = 0
    /// libcurl is set up to send content, be it empty, and adds header fields of its own unless told otherwise.
    var sendsContent = false
    /// The whole content was handed over in advance, and is reported as sent when the response begins, or shortly after it was.
    var reportsBodyAtOnce = false
    /// The loop is to look before long whether that was sent.
    var isSendingLookDue = false
    /// The whole content was handed over in advance.
    var isContentCopied = false

    // MARK: Flow and time

    var isReceivePaused = false
    var isSendPaused = false
    /// See `TransportEngine.hold(_:)`.
    var isHeld: Bool { transfer?.isHeld ?? false }
    /// Why the engine, the handler or the body source ended the transfer; wins over libcurl's code.
    var failure: TransferError?
    /// When something last moved.
    var lastActivity: UInt64 = 0
    /// When something last came, or was asked for, that is the exchange's and not the connection's.
    var lastUse: UInt64 = 0
    /// For what of that was not counted yet: see `EngineLoop.judgeReading`.
    var useCredit: Int64 = 0
    var activationTime: UInt64 = 0
    /// When the last head that is not an interim one began; 0: not yet. What libcurl takes for it is the beginning of an
    /// interim head, or of the content that is sent.
    var headTime: UInt64 = 0
    /// Nanoseconds without activity that end the transfer; 0: no limit.
    var idleLimit: UInt64 = 0
    var heapTicket = -1
    var heapDeadline = UInt64.max
    /// The socket in use; -1: not known yet.
    var socket: Int32 = -1
    /// Our port of the connection in use; 0: not known yet.
    var localPort: Int32 = 0
    /// errno of a socket that could not be made; 0: none.
    var socketError: Int32 = 0
    /// What the kernel had not sent when it was last asked; -1: was not asked.
    var unsentBytes: Int32 = -1

    // MARK: TLS

    /// Made when a handshake begins.
    var verification: PeerVerificationContext?
    /// Of the connection in use, in memory of OpenSSL's that stays; nil: no TLS.
    var tlsVersion: UnsafePointer<CChar>?
    var tlsCipher: UnsafePointer<CChar>?
    var tlsCipherSuite: UInt16 = 0

    // MARK: Reuse

    /// Whether the options set are those of a plain request, with these variable parts.
    var isPlain = false
    var plainHeaders: [HeaderField] = []
    var plainDecodes = false
    var plainDecodesOwn = false
    var plainIdleAge = 0
    var plainReceivesLargePieces = false
    /// The request is for an HTTP/2 connection that is there already: see `TransferDriver.setSharing`.
    var expectsHTTP2 = false
    /// libcurl reads it while the transfer is active.
    var headerList: HeaderList?
    /// False: the handle has seen something that must not meet another transfer.
    var isReusable = true

    /// Nil: out of memory.
    init?(pool: ConnectionPool, loop: EngineLoop) {
        guard let easy = EasyHandle() else { return nil }
        self.easy = easy
        self.pool = pool
        self.loop = loop
        collector = ResponseHeadCollector(limit: loop.maximumHeaderBytes)
    }

    /// Takes on a transfer: everything but adding the handle to the multi.
    func begin(_ transfer: Transfer, freshConnection: Bool) -> TransferError? {
        loop.assertOnThread()
        self.transfer = transfer
        handler = transfer.handler
        collector.reset()
        hasReportedHead = false
        isHoldingHead = false
        delivery = .deliver
        decoding = nil
        contentBytes = 0
        discardedBytes = 0
        discardDeadline = 0
        awaitsEnd = false
        isLookDue = false
        isOverdue = false
        refusalBytes = 0
        endsEarly = false
        wantsFreshConnection = false
        sendings = 0
        tunnelRefusals = 0
        connectBytes = 0
        connectionsMade = 0
        isConnectionClosed = false
        isEndExplained = false
        stream = 0
        hearsOfRefusals = false
        bodyOffset = 0
        isSourceOpen = false
        attempt &+= 1
        reportsBodyAtOnce = false
        isSendingLookDue = false
        isReceivePaused = false
        isSendPaused = false
        failure = nil
        activationTime = loop.now
        lastActivity = loop.now
        lastUse = 0
        useCredit = 0
        idleLimit = Self.nanoseconds(transfer.request.idleTimeout)
        socket = -1
        localPort = 0
        socketError = 0
        unsentBytes = -1
        verification = nil
        tlsVersion = nil
        tlsCipher = nil
        tlsCipherSuite = 0
        sentTime = 0
        headTime = 0
        isConnected = false
        isRefusedByProxy = false
        isContentCopied = false
        easy.clearErrorText()
        return configure(for: transfer.request, freshConnection: freshConnection)
    }

    /// Lets go of the transfer; the handle has left the multi.
    func end() {
        transfer = nil
        handler = nil
        decoding = nil
        body = .none
        failure = nil
        verification = nil
    }

    /// Seconds as an idle limit: what is not a positive number, or more than a century, is no limit.
    static func nanoseconds(_ seconds: TimeInterval) -> UInt64 {
        seconds > 0 && seconds < 3_155_760_000 ? UInt64(seconds * 1_000_000_000) : 0
    }

    /// Something came, or was asked for, that is the exchange's: so many bytes.
    func noteUse(_ count: Int) {
        lastActivity = loop.now
        lastUse = loop.now
        loop.uses &+= 1
        useCredit &+= Int64(max(count, 1)) &* ReadUse.framing
    }

    // MARK: Idle time

    /// When to look at the transfer next for want of progress; nil: it has been idle, or its content dropped, for too long.
    func nextIdleCheck(now: UInt64) -> UInt64? {
        if discardDeadline > 0 { return discardDeadline > now ? discardDeadline : nil }
        // Waiting for our own consumer or producer, or for our user, is not the server's fault.
        if isReceivePaused || isSendPaused || isHeld || waitsForConnection {
            lastActivity = now
            return now &+ (idleLimit > 0 ? idleLimit : Self.overdueTime)
        }
        noteConnectionPhases()
        noteOthersConnection(now: now)
        noteKernelProgress(now: now)
        // What follows a challenge that libcurl answers is nothing that anybody waits for.
        if !isHoldingHead { noteReceivedBytes(now: now) }
        let deadline = lastActivity &+ (isOverdue ? Self.overdueTime : idleLimit)
        guard deadline > now else { return nil }
        guard !isOverdue else { return deadline }
        return min(deadline, now &+ checkInterval)
    }

    /// Whether libcurl keeps the transfer for a place on a connection that others of its origin have: servers may allow fewer
    /// streams than the engine counts on.
    private var waitsForConnection: Bool {
        guard socket < 0, !isConnected, easy.offset(CURLINFO_NAMELOOKUP_TIME_T) == 0, let origin = transfer?.origin
        else { return false }
        return pool.drivers.contains { $0 !== self && $0.transfer?.origin == origin && $0.isConnected }
    }

    /// Where libcurl keeps the transfer for a connection that another of its origin is making, what that achieves is progress.
    private func noteOthersConnection(now: UInt64) {
        guard socket < 0, !isConnected, easy.offset(CURLINFO_NAMELOOKUP_TIME_T) == 0, let origin = transfer?.origin
        else { return }
        for other in pool.drivers
        where other !== self && other.transfer?.origin == origin && other.socket >= 0 && !other.isConnected {
            other.noteConnectionPhases()
            other.noteReceivedBytes(now: now)
            lastActivity = max(lastActivity, other.lastActivity)
        }
    }

    /// Nanoseconds without activity for which the end of a response is waited for whose content is whole.
    static let overdueTime: UInt64 = 1_000_000_000

    /// When the first look is due.
    var firstIdleCheck: UInt64 { lastActivity &+ checkInterval }

    /// Uploads are looked at more often, because only two looks at the kernel's buffer show that it drains.
    private var checkInterval: UInt64 {
        if case .none = body { return idleLimit }
        return max(idleLimit / 4, 1_000_000)
    }

    /// A name that resolved, a connection made or a handshake finished since is progress.
    private func noteConnectionPhases() {
        guard collector.totalBytes == 0 else { return }
        var last: Int64 = 0
        for info in [
            CURLINFO_NAMELOOKUP_TIME_T, CURLINFO_CONNECT_TIME_T, CURLINFO_APPCONNECT_TIME_T,
            CURLINFO_PRETRANSFER_TIME_T,
        ] {
            last = max(last, easy.offset(info))
        }
        lastActivity = max(lastActivity, activationTime &+ UInt64(max(last, 0)) &* 1_000)
    }
}

// Belongs to the network thread.
@available(*, unavailable)
extension TransferDriver: Sendable {}
