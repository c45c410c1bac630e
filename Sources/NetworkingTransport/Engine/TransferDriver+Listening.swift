// SPDX-License-Identifier: MIT
internal import CCurl

/// Reads what libcurl (before 8.1) reports of a shared connection only in its log.
///
/// A connection that breaks the rules of HTTP/2 is closed, and a response on it without an announced length ends as if
/// it were whole. The difference from a whole one: the connection was closed, and libcurl gave no reason. It gives one
/// where the server sent GOAWAY, or hung up.
extension TransferDriver {
    /// Turns libcurl's log on. For HTTP/2 only, and not before there is a connection: on one that was made with the log
    /// on, lines for every TLS record cost too much.
    func listen() {
        isConnectionClosed = false
        isEndExplained = false
        guard CurlGlobal.takesBrokenConnectionsForEnds else { return }
        if !isListening { isListening = easy.set(CURLOPT_VERBOSE, 1) == .CURLE_OK }
        if isListening { listenForRefusals() }
    }

    func stopListening() {
        guard isListening else { return }
        isListening = false
        _ = easy.set(CURLOPT_VERBOSE, 0)
    }

    /// Takes a line of libcurl's log. It is about the connection, whichever of the transfers on it has received the
    /// line.
    func hear(_ line: UnsafeRawBufferPointer) {
        guard isListening, let first = line.first else { return }
        switch first {
        case UInt8(ascii: "C") where line.starts(with: "Closing connection".utf8):
            for driver in sharers { driver.isConnectionClosed = true }
        case UInt8(ascii: "C") where line.starts(with: "Connection cache is full".utf8):
            // It is another connection that is closed next, or this one, for that.
            explainEnd()
        case UInt8(ascii: "r")
        where line.starts(with: "recveived GOAWAY".utf8) || line.starts(with: "received GOAWAY".utf8):
            explainEnd()
            noteGoodbye(line)
        case UInt8(ascii: "U") where line.starts(with: "Using Stream ID: ".utf8):
            stream = Self.number(in: line, after: "Using Stream ID: ") ?? 0
        case UInt8(ascii: "R") where line.starts(with: "REFUSED_STREAM, retrying".utf8):
            // True of a handle's first request only, which is what all are where libcurl says this: what it notes of a
            // refusal stays with the handle. See `CurlGlobal.forgetsResponses`.
            if hearsOfRefusals { transfer?.ledger.noteRefusal() }
            stream = 0
        case UInt8(ascii: "D") where line.starts(with: "Downgrades to HTTP/1.1".utf8):
            // Nothing else tells it from a request that was lost with its connection, and got an HTTP/1.1 one next.
            transfer?.ledger.noteRefusal()
            stream = 0
        case UInt8(ascii: "C") where line.starts(with: "Connection died".utf8),
            UInt8(ascii: "I") where line.starts(with: "Issue another request".utf8):
            stream = 0
        case UInt8(ascii: "F")
        where line.starts(with: "Failed receiving HTTP2".utf8) || line.starts(with: "Failed sending HTTP2".utf8):
            explainEnd()
        case UInt8(ascii: "H") where line.starts(with: "HTTP/2 stream".utf8):
            // "... was not closed cleanly before end of the underlying stream": the last word, with a line end or
            // without.
            if line.dropLast(1).suffix(17).elementsEqual("underlying stream".utf8)
                || line.suffix(17).elementsEqual("underlying stream".utf8)
            {
                explainEnd()
            }
        default:
            break
        }
    }

    /// Takes note that the connection, if it is closed now, is closed for a reason that makes no response shorter.
    func explainEnd() {
        guard isListening else { return }
        for driver in sharers { driver.isEndExplained = true }
    }

    /// The drivers on the same connection, this one included.
    private var sharers: [TransferDriver] {
        pool.drivers.filter {
            $0.transfer != nil && $0.isListening && $0.localPort == localPort
                && $0.transfer?.origin == transfer?.origin
        }
    }

    // MARK: Refusals

    /// Has libcurl repeat the request where its stream was refused, and nowhere else.
    ///
    /// libcurl repeats a request silently when a reused connection brings no answer, be the request refused or lost:
    /// only on a new connection does it say which. A request that may be sent twice needs the difference as well, since
    /// it may be refused more often than once. The option that leaves these repetitions out is RTSP's, but libcurl
    /// checks it whatever the protocol; HTTP looks at it nowhere else.
    private func listenForRefusals() {
        hearsOfRefusals = easy.set(CURLOPT_RTSP_REQUEST, Int(CURL_RTSPREQ_RECEIVE)) == .CURLE_OK
    }

    /// True if libcurl would repeat the request without `listenForRefusals()`: a reused connection brought no answer.
    func isLostWhereOthersRepeat(code: CurlCode) -> Bool {
        hearsOfRefusals && connectionsMade == 0 && collector.totalBytes == 0
            && (code == .CURLE_GOT_NOTHING || code == .CURLE_RECV_ERROR)
    }

    /// Takes a GOAWAY: the server has not looked at streams later than the one it names, and will not (RFC 9113,
    /// section 6.8).
    ///
    /// nghttp2 refuses those streams, but libcurl does not report each of them where no stream is left.
    private func noteGoodbye(_ line: UnsafeRawBufferPointer) {
        guard let last = Self.number(in: line, after: "last_stream=") else { return }
        for driver in pool.drivers where driver.stream > last && isOnSameConnection(as: driver) {
            driver.transfer?.ledger.noteRefusal()
        }
    }

    /// True if both are on one connection, beyond doubt: a port of ours can be in use to several addresses of an
    /// origin, and a Unix socket has none.
    private func isOnSameConnection(as other: TransferDriver) -> Bool {
        guard stream > 0, other.stream > 0 else { return false }
        if other === self { return true }
        if let ssl = easy.tlsConnection { return ssl == other.easy.tlsConnection }
        return localPort > 0 && localPort == other.localPort && transfer?.origin == other.transfer?.origin
            && easy.string(CURLINFO_PRIMARY_IP) == other.easy.string(CURLINFO_PRIMARY_IP)
            && easy.string(CURLINFO_LOCAL_IP) == other.easy.string(CURLINFO_LOCAL_IP)
    }

    /// The decimal number that follows the first occurrence of `label`; nil: no such number.
    private static func number(in line: UnsafeRawBufferPointer, after label: StaticString) -> UInt32? {
        let text = String(decoding: line, as: UTF8.self)
        guard let range = text.firstRange(of: "\(label)") else { return nil }
        return UInt32(text[range.upperBound...].prefix { $0.isASCII && $0.isNumber })
    }

    // MARK: Responses that end with their connection

    /// True if libcurl takes a response for whole whose content ends where its connection broke.
    func isCutShort(code: CurlCode) -> Bool {
        guard code == .CURLE_OK, isConnectionClosed, !isEndExplained, collector.announcedLength == nil,
            case .deliver = delivery, collector.status != 204, collector.status != 304
        else { return false }
        return transfer?.request.method != "HEAD"
    }

    static var cutShortError: TransferError {
        TransferError(
            .connectionLost,
            message:
                "The connection broke the rules of HTTP/2 and was closed before the response was known to be whole.")
    }
}
