// SPDX-License-Identifier: MIT
internal import CCurl
internal import Foundation

/// Drives one transfer at a time on one easy handle: the object behind the pointers of libcurl's callbacks.
///
/// Reused from transfer to transfer of one pool, so that a plain request costs neither an allocation nor an option
/// that has not changed. Network thread only.
///
/// Its fields are not checked for overlapping accesses: one thread reads and sets them, and calls nothing while it does.
final class TransferDriver: DeadlineHeapMember {
    let easy: EasyHandle
    let pool: ConnectionPool
    let loop: EngineLoop

    /// The transfer in hand; nil: idle.
    @exclusivity(unchecked) private(set) var transfer: Transfer?
    /// Its handler, taken out once.
    @exclusivity(unchecked) var handler: (any TransferHandler)?

    // MARK: The response

    @exclusivity(unchecked) var collector: ResponseHeadCollector
    /// True once the handler has received the head.
    @exclusivity(unchecked) var hasReportedHead = false
    /// A complete head is kept back until libcurl is known not to answer it itself.
    @exclusivity(unchecked) var isHoldingHead = false
    @exclusivity(unchecked) var delivery = BodyDelivery.deliver
    @exclusivity(unchecked) var discardedBytes = 0
    /// The time at which dropped content has been waited for long enough; 0: no content is dropped.
    @exclusivity(unchecked) var discardDeadline: UInt64 = 0
    /// The response in hand came in HTTP/2, for a request that has content, or with a long head: see
    /// `EngineLoop.noteAwaitedEnd(_:)`.
    @exclusivity(unchecked) var awaitsEnd = false
    /// libcurl is to look for the end before long.
    @exclusivity(unchecked) var isLookDue = false
    /// All content has come that was announced, and libcurl goes on all the same.
    @exclusivity(unchecked) var isOverdue = false
    /// Bytes that a proxy sent with its refusal of a tunnel.
    @exclusivity(unchecked) var refusalBytes = 0
    /// Bytes of content that were taken, as they came.
    @exclusivity(unchecked) var contentBytes: Int64 = 0
    /// Content comes out of its codings before the handler sees it.
    @exclusivity(unchecked) var decodesContent = false
    /// The decoder of the present content; nil: it comes as it is.
    @exclusivity(unchecked) var decoding: DecodedContent?
    /// The connection was given up on purpose: the exchange counts as complete.
    @exclusivity(unchecked) var endsEarly = false
    /// The request is to be sent once more, on a new connection.
    @exclusivity(unchecked) var wantsFreshConnection = false
    /// Times that the request went out, answers to challenges included.
    @exclusivity(unchecked) var sendings = 0
    /// Times that the proxy refused a tunnel for want of authentication.
    @exclusivity(unchecked) var tunnelRefusals = 0
    /// Bytes of a proxy's heads, before there is a tunnel.
    @exclusivity(unchecked) var connectBytes = 0
    /// The value of CURLINFO_NUM_CONNECTS when the request was sent last.
    @exclusivity(unchecked) var connectionsMade = 0

    // MARK: What libcurl says of an HTTP/2 connection

    /// libcurl's log is on: see `listen()`.
    @exclusivity(unchecked) var isListening = false
    /// The connection was closed while this transfer was on it.
    @exclusivity(unchecked) var isConnectionClosed = false
    /// libcurl, or the engine, gave a reason for the close.
    @exclusivity(unchecked) var isEndExplained = false
    /// The stream that the request is on; 0: none, or the request is about to leave it, and the next line of the log
    /// may be about another connection.
    @exclusivity(unchecked) var stream: UInt32 = 0
    /// libcurl repeats the request only where its stream was refused, and says so.
    @exclusivity(unchecked) var hearsOfRefusals = false

    // MARK: The request's content

    @exclusivity(unchecked) var body = TransferBody.none
    /// Bytes promised; nil: unknown.
    @exclusivity(unchecked) var bodyLength: Int64?
    /// Bytes handed to libcurl in this attempt.
    @exclusivity(unchecked) var bodyOffset: Int64 = 0
    /// The time at which bytes were handed to libcurl last; 0: none were.
    @exclusivity(unchecked) var sentTime: UInt64 = 0
    /// There is a connection to send the request on: header lines before that are a proxy's answer to CONNECT.
    @exclusivity(unchecked) var isConnected = false
    /// That answer is a refusal for want of a credential.
    @exclusivity(unchecked) var isRefusedByProxy = false
    @exclusivity(unchecked) var isSourceOpen = false
    /// Counts rewinds, which distinguishes a wake-up for an earlier attempt.
    @exclusivity(unchecked) var attempt = 0
    /// libcurl is set up to send content, be it empty, and adds its own header fields unless they are suppressed.
    @exclusivity(unchecked) var sendsContent = false
    /// The whole content was handed over in advance, and is reported as sent when the response begins, or shortly after
    /// it was.
    @exclusivity(unchecked) var reportsBodyAtOnce = false
    /// The loop is to look before long whether that was sent.
    @exclusivity(unchecked) var isSendingLookDue = false
    /// The whole content was handed over in advance.
    @exclusivity(unchecked) var isContentCopied = false

    // MARK: Flow and time

    @exclusivity(unchecked) var isReceivePaused = false
    @exclusivity(unchecked) var isSendPaused = false
    /// See `TransportEngine.hold(_:)`.
    var isHeld: Bool { transfer?.isHeld ?? false }
    /// The reason for which the engine, the handler or the body source ended the transfer; wins over libcurl's code.
    @exclusivity(unchecked) var failure: TransferError?
    /// The time at which something last moved.
    @exclusivity(unchecked) var lastActivity: UInt64 = 0
    /// The time at which something last came, or was asked for, that is the exchange's and not the connection's.
    @exclusivity(unchecked) var lastUse: UInt64 = 0
    /// The credit for such use that was not counted yet: see `EngineLoop.judgeReading`.
    @exclusivity(unchecked) var useCredit: Int64 = 0
    @exclusivity(unchecked) var activationTime: UInt64 = 0
    /// The time at which the last head that is not an interim one began; 0: not yet. libcurl instead takes the
    /// beginning of an interim head, or of the content that is sent.
    @exclusivity(unchecked) var headTime: UInt64 = 0
    /// Nanoseconds without activity that end the transfer; 0: no limit.
    @exclusivity(unchecked) var idleLimit: UInt64 = 0
    @exclusivity(unchecked) var heapTicket = -1
    @exclusivity(unchecked) var heapDeadline = UInt64.max
    /// libcurl may keep the transfer for a connection that another is making: see `EngineLoop.handleKept()`.
    @exclusivity(unchecked) private(set) var mayBeKept = false
    /// The socket in use; -1: not known yet.
    @exclusivity(unchecked) var socket: Int32 = -1
    /// Our port of the connection in use; 0: not known yet.
    @exclusivity(unchecked) var localPort: Int32 = 0
    /// errno of a socket that could not be made; 0: none.
    @exclusivity(unchecked) var socketError: Int32 = 0
    /// The bytes that the kernel had not sent when it was last asked; -1: was not asked.
    @exclusivity(unchecked) var unsentBytes: Int32 = -1

    // MARK: TLS

    /// Made when a handshake begins.
    @exclusivity(unchecked) var verification: PeerVerificationContext?
    /// The TLS version of the connection in use, in memory of OpenSSL's that stays; nil: no TLS.
    @exclusivity(unchecked) var tlsVersion: UnsafePointer<CChar>?
    @exclusivity(unchecked) var tlsCipher: UnsafePointer<CChar>?
    @exclusivity(unchecked) var tlsCipherSuite: UInt16 = 0

    // MARK: Reuse

    /// True if the options set are those of a plain request, with these variable parts.
    @exclusivity(unchecked) var isPlain = false
    @exclusivity(unchecked) var plainHeaders: [HeaderField] = []
    @exclusivity(unchecked) var plainDecodes = false
    @exclusivity(unchecked) var plainDecodesOwn = false
    @exclusivity(unchecked) var plainIdleAge = 0
    @exclusivity(unchecked) var plainReceivesLargePieces = false
    /// The request is for an HTTP/2 connection that is there already: see `TransferDriver.setSharing`.
    @exclusivity(unchecked) var expectsHTTP2 = false
    /// libcurl reads it while the transfer is active.
    @exclusivity(unchecked) var headerList: HeaderList?
    /// False: the handle has seen something that must not meet another transfer.
    @exclusivity(unchecked) var isReusable = true

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

    /// Releases the transfer; the handle has left the multi.
    func end() {
        noteKept(false)
        transfer = nil
        handler = nil
        decoding = nil
        body = .none
        failure = nil
        verification = nil
    }

    /// Takes note of whether libcurl may keep the transfer for a connection.
    func noteKept(_ isKept: Bool) {
        guard isKept != mayBeKept, let origin = transfer?.origin else { return }
        mayBeKept = isKept
        pool.noteKept(isKept, origin: origin)
    }

    /// The handle has left the multi and is added again: libcurl's times begin anew.
    func noteHandedAgain() { activationTime = loop.now }

    /// True if nothing is known of a connection, nor of a lookup of its address.
    var hasNoConnection: Bool { socket < 0 && !isConnected && easy.offset(CURLINFO_NAMELOOKUP_TIME_T) == 0 }

    /// Seconds as an idle limit: what is not a positive number, or more than a century, is no limit.
    static func nanoseconds(_ seconds: TimeInterval) -> UInt64 {
        seconds > 0 && seconds < 3_155_760_000 ? UInt64(seconds * 1_000_000_000) : 0
    }

    /// Takes note that `count` bytes came, or content was asked for, that are the exchange's.
    func noteUse(_ count: Int) {
        lastActivity = loop.now
        lastUse = loop.now
        loop.uses &+= 1
        useCredit &+= Int64(max(count, 1)) &* ReadUse.framing
    }

    // MARK: Idle time

    /// Returns the time of the next look for progress; nil: the transfer has been idle, or its content dropped, for too
    /// long.
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
        // No handler waits for what follows a challenge that libcurl answers.
        if !isHoldingHead { noteReceivedBytes(now: now) }
        let deadline = lastActivity &+ (isOverdue ? Self.overdueTime : idleLimit)
        guard deadline > now else { return nil }
        guard !isOverdue else { return deadline }
        return min(deadline, now &+ checkInterval)
    }

    /// True if libcurl keeps the transfer for a place on a connection that other transfers of its origin have: servers
    /// may allow fewer streams than the engine counts on.
    private var waitsForConnection: Bool {
        guard hasNoConnection, let origin = transfer?.origin else { return false }
        return pool.drivers.contains { $0 !== self && $0.transfer?.origin == origin && $0.isConnected }
    }

    /// Counts the progress of a connection that another transfer of the origin is making, if libcurl keeps this one for
    /// it.
    private func noteOthersConnection(now: UInt64) {
        guard hasNoConnection, let origin = transfer?.origin else { return }
        for other in pool.drivers
        where other !== self && other.transfer?.origin == origin && other.socket >= 0 && !other.isConnected {
            other.noteConnectionPhases()
            other.noteReceivedBytes(now: now)
            lastActivity = max(lastActivity, other.lastActivity)
        }
    }

    /// Nanoseconds without activity for which the end of a response with whole content is waited for.
    static let overdueTime: UInt64 = 1_000_000_000

    /// The time of the first look.
    var firstIdleCheck: UInt64 { lastActivity &+ checkInterval }

    /// Uploads are looked at more often, because only two looks at the kernel's buffer show that it drains.
    private var checkInterval: UInt64 {
        if case .none = body { return idleLimit }
        return max(idleLimit / 4, 1_000_000)
    }

    /// Counts a name lookup, a connection or a handshake that was completed since as progress.
    private func noteConnectionPhases() {
        guard collector.totalBytes == 0 else { return }
        var last: Int64 = 0
        for info in [
            CURLINFO_NAMELOOKUP_TIME_T, CURLINFO_CONNECT_TIME_T, CURLINFO_APPCONNECT_TIME_T,
            CURLINFO_PRETRANSFER_TIME_T,
        ] {
            last = max(last, easy.offset(info))
        }
        guard last > 0 else { return }
        lastActivity = max(lastActivity, activationTime &+ UInt64(last) &* 1_000)
    }
}

// Belongs to the network thread.
@available(*, unavailable)
extension TransferDriver: Sendable {}
