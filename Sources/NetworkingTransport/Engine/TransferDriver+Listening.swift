// SPDX-License-Identifier: MIT
internal import CCurl

/// What libcurl (before 8.1) tells of a shared connection in its log only.
///
/// A connection that breaks the rules of HTTP/2 is closed, and a response on it of which no length was announced ends as
/// if it were whole. What tells it from one that is: the connection was closed, and libcurl did not say why. It does where
/// the server said goodbye, or hung up.
extension TransferDriver {
    /// Asks libcurl to say what it does. For HTTP/2 only, and not before there is a connection: what it says of every TLS
    /// record of a connection that it was asked at before costs too much.
    func listen() {
        isConnectionClosed = false
        isEndExplained = false
        guard CurlGlobal.takesBrokenConnectionsForEnds, !isListening else { return }
        isListening = easy.set(CURLOPT_VERBOSE, 1) == .CURLE_OK
    }

    func stopListening() {
        guard isListening else { return }
        isListening = false
        _ = easy.set(CURLOPT_VERBOSE, 0)
    }

    /// Takes a line of libcurl's log. It is about the connection, whichever of those that share it was told.
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
        case UInt8(ascii: "F")
        where line.starts(with: "Failed receiving HTTP2".utf8) || line.starts(with: "Failed sending HTTP2".utf8):
            explainEnd()
        case UInt8(ascii: "H") where line.starts(with: "HTTP/2 stream".utf8):
            // "... was not closed cleanly before end of the underlying stream": the last word, with a line end or without.
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

    /// Those on the same connection, this one included.
    private var sharers: [TransferDriver] {
        pool.drivers.filter {
            $0.transfer != nil && $0.isListening && $0.localPort == localPort
                && $0.transfer?.origin == transfer?.origin
        }
    }

    /// Whether the content of a response that libcurl takes for whole ends where its connection broke.
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
