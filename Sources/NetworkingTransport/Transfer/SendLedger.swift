// SPDX-License-Identifier: MIT

/// Counts how often one transfer's request was sent, and decides whether it may be sent again.
///
/// libcurl sends a request again, by itself and silently, when the connection that it reused ends before an answer. The
/// server may have acted on the first one. So the engine is asked before each sending, and this decides: a request
/// whose repetition changes nothing is sent twice at most, every other once. A sending that the server is known not to
/// have looked at does not count: a server that takes twenty requests on each connection refuses the last of two
/// hundred nine times.
struct SendLedger: Equatable {
    /// The known properties of the connection that the request is about to be sent on.
    struct Connection: Equatable {
        /// It was made since the request was sent last.
        var isNew: Bool
        /// It is HTTP/2, by what the handshake said.
        var isHTTP2: Bool
    }

    enum Verdict: Equatable {
        case send
        /// Not on this connection, which may be as dead as the last one, but on a new one.
        case sendOnFreshConnection
        /// The exchange has failed: it is not known whether the request was acted on.
        case giveUp
    }

    /// It was sent at least once, as far as we know.
    private(set) var hasSent = false
    /// Nothing has come back since it was sent last.
    private var isUnanswered = false
    /// The server has said that it did not look at what was sent last (RFC 9113, section 8.7).
    private(set) var isRefused = false
    /// The connection that it was sent on last is HTTP/2.
    private(set) var wasHTTP2 = false
    private var repetitions = 0
    /// The number of times that it was sent again because it had been refused.
    private var refusals = 0

    /// The largest number of refusals: a server that refuses everything is not asked for ever.
    private static let maximumRefusals = 16

    /// True if the request, sent again now, is sent for want of an answer, not because of one.
    var wouldRepeat: Bool { isUnanswered }

    /// True if the request may be sent once more after a connection that was lost without an answer.
    func mayRepeat(isIdempotent: Bool) -> Bool {
        isUnanswered && (isRefused ? refusals < Self.maximumRefusals : isIdempotent && repetitions == 0)
    }

    /// Takes note that the engine is about to have the request sent once more, after a connection that was lost without
    /// an answer. False: it may not be.
    ///
    /// Counted here, not when it goes out: it may never go out, for want of a connection.
    mutating func beginRepetition(isIdempotent: Bool) -> Bool {
        guard mayRepeat(isIdempotent: isIdempotent) else { return false }
        noteRepetition()
        isUnanswered = false
        return true
    }

    /// Decides whether the request, which is about to go out, may be sent on `connection`.
    mutating func send(isIdempotent: Bool, on connection: Connection) -> Verdict {
        defer { wasHTTP2 = connection.isHTTP2 }
        hasSent = true
        guard isUnanswered else {
            isUnanswered = true
            isRefused = false
            return .send
        }
        guard mayRepeat(isIdempotent: isIdempotent) else { return .giveUp }
        noteRepetition()
        isRefused = false
        // Other requests share an HTTP/2 connection: one that is alive.
        guard connection.isNew || connection.isHTTP2 else {
            isUnanswered = false
            return .sendOnFreshConnection
        }
        return .send
    }

    private mutating func noteRepetition() { if isRefused { refusals += 1 } else { repetitions += 1 } }

    /// Takes note that a header line has arrived: what is sent next, to a challenge for instance, is another request.
    mutating func noteAnswer() {
        isUnanswered = false
        isRefused = false
    }

    /// Takes note that, by the server's word, what was sent last was not looked at, or is to be sent in HTTP/1.1 (RFC
    /// 9113, sections 7 and 8.7).
    mutating func noteRefusal() { isRefused = isUnanswered }
}
