// SPDX-License-Identifier: MIT
internal import CCurl
internal import NetworkingSupport

extension TransferDriver {
    /// Content that is read and dropped to keep a connection usable; beyond it, closing is cheaper.
    static let discardLimit = 256 * 1024
    /// Nanoseconds that such content is waited for.
    private static let discardTime: UInt64 = 1_000_000_000

    /// Takes header lines: one, or all those at once that libcurl read for a transfer that was paused. False: end the
    /// transfer.
    func receive(headerLines lines: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        while start < lines.count {
            let end = FieldLines.end(lines, from: start)
            guard receive(headerLine: UnsafeRawBufferPointer(rebasing: lines[start..<end])) else { return false }
            start = end
        }
        return true
    }

    /// Takes a header line. False: end the transfer.
    private func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        noteUse(line.count)
        guard isConnected else { return receive(connectLine: line) }
        transfer?.ledger.noteAnswer()
        noteBodySent()
        switch collector.append(line) {
        case .statusLine:
            headTime = MonotonicClock.now
            return true
        case .incomplete, .trailer:
            return true
        case .interim:
            headTime = 0
            if collector.status != 100, let transfer, let handler {
                handler.transfer(transfer, didReceiveInterim: collector.head)
            }
            return true
        case .complete:
            noteVersion()
            giveUpExpectation()
            if mayBeAnsweredByLibcurl {
                isHoldingHead = true
                return true
            }
            guard reportHead() else { return false }
            guard wouldBeTakenForProxys else { return true }
            endsEarly = true
            return false
        case .malformed:
            failure = TransferError(.badResponse, message: "The response does not begin with an HTTP status line.")
            return false
        case .tooLarge:
            failure = TransferError(
                .tooLarge,
                message: "The response head exceeds \(loop.maximumHeaderBytes) bytes or "
                    + "\(ResponseHeadCollector.maximumFields) fields.")
            return false
        case .contradictoryLength:
            failure = TransferError(
                .badResponse,
                message: "The response's Content-Length is no number, too large, or given twice with different values, "
                    + "or it or Transfer-Encoding is folded or has white space before its colon.")
            return false
        }
    }

    /// Takes a line of a proxy's answer to CONNECT. False: end the transfer.
    ///
    /// libcurl reads the content of a 407 for as long as it comes, byte by byte and nothing else meanwhile, also where
    /// it has no other credential to send: the transfer ends then. Where it has one, see `noteTunnelByte()`.
    private func receive(connectLine line: UnsafeRawBufferPointer) -> Bool {
        connectBytes += line.count
        guard connectBytes <= loop.maximumHeaderBytes else {
            failure = TransferError(
                .tooLarge, message: "The proxy's answer to CONNECT exceeds \(loop.maximumHeaderBytes) bytes.")
            return false
        }
        if line.starts(with: "HTTP/".utf8) {
            refusalBytes = 0
            isRefusedByProxy = line.drop { $0 != 0x20 }.drop { $0 == 0x20 }.starts(with: "407".utf8)
            if isRefusedByProxy { tunnelRefusals += 1 }
            guard tunnelRefusals <= Self.maximumSendings else {
                failure = endlessChallenge
                return false
            }
        }
        guard isRefusedByProxy, line.first.map({ $0 == 0x0D || $0 == 0x0A }) == true else { return true }
        return pool.proxy?.credential.map { $0.schemes != .basic } ?? false
    }

    /// True if another head may follow: after a challenge that libcurl has credentials for, or a 417 to an expectation.
    private var mayBeAnsweredByLibcurl: Bool {
        switch collector.status {
        case 401: transfer?.request.credential != nil
        case 407: pool.proxy?.credential != nil && isAnsweredByProxy
        case 417: true
        // To a request that leaves its content out until it is known who asks.
        case 200..<300: hasContentToSend && (transfer?.request.credential.map { $0.schemes != .basic } ?? false)
        default: false
        }
    }

    private var hasContentToSend: Bool {
        if case .none = body { false } else { easy.offset(CURLINFO_SIZE_UPLOAD_T) == 0 }
    }

    /// True if the response is the proxy's, or came through it as any other: there is no tunnel.
    private var isAnsweredByProxy: Bool {
        guard let scheme = pool.proxy?.scheme, transfer?.request.isSecure == false else { return false }
        return scheme == .http || scheme == .https
    }

    /// True if libcurl (7.88) would take a server's 407, from within a tunnel, for the proxy's: it would drop the
    /// content, and send the request once more. So only the head of the response is used. With Basic alone libcurl has
    /// nothing new to send, and with SOCKS it gets no scheme: see `setProxy`.
    private var wouldBeTakenForProxys: Bool {
        guard collector.status == 407, let proxy = pool.proxy, let credential = proxy.credential else { return false }
        return credential.schemes != .basic && !isAnsweredByProxy && !proxy.scheme.isSOCKS
            && pool.route?.unixSocketPath == nil
            && collector.head.firstBytes(named: "Proxy-Authenticate", limit: .max) != nil
    }

    /// Forbids reuse of the connection if the server has answered a request with `Expect: 100-continue` before its
    /// content was sent. The server may still read that content (RFC 9110, section 10.1.1), which libcurl does not send
    /// any more: it would take the next request for it.
    private func giveUpExpectation() {
        guard sendsContent, !collector.isHTTP2, let request = transfer?.request,
            request.headers.contains(where: {
                $0.name.utf8.equalsIgnoringCase("expect") && $0.value.utf8.equalsIgnoringCase("100-continue")
            }),
            easy.offset(CURLINFO_SIZE_UPLOAD_T) == 0
        else { return }
        forbidReuse()
        // After this one libcurl sends the request again, and should not say the same.
        if collector.status == 417 { dropExpectation(of: request) }
    }

    /// Takes note of the version that the origin speaks, on which its limit depends. Through a proxy for plain HTTP it
    /// is not known whether the proxy or the origin answered.
    private func noteVersion() {
        guard let transfer else { return }
        let isHTTP2 = collector.isHTTP2 && isOnHTTP2
        loop.noteVersion(of: transfer.origin, isHTTP2: isHTTP2)
        if isHTTP2 {
            loop.poller?.sockets.noteMultiplexed(socket)
        } else if collector.isHTTP2 {
            // libcurl believes it: it would send several requests at once on this connection, and others to the origin,
            // and mix up their responses.
            loop.giveUpConnections(of: self, isMislabeled: true)
        }
    }

    /// Shows the head to the handler. False: end the transfer.
    func reportHead() -> Bool {
        isHoldingHead = false
        guard !hasReportedHead, let transfer, let handler else { return true }
        hasReportedHead = true
        let head = collector.head
        // What frames its content in a way that its version does not know (RFC 9112, section 6.1).
        if collector.httpVersion == "1.0", head.contains(.transferEncoding) { forbidReuse() }
        delivery = handler.transfer(transfer, didReceive: head)
        switch delivery {
        case .deliver:
            if let name = ContentDecoder.transferCoding(of: head), mayHaveContent(head) {
                failure = TransferError(
                    .cannotDecodeContent,
                    message: "The content comes in the transfer coding \"\(name)\", which was not asked for.")
                return false
            }
            let codings = decodesContent ? ContentDecoder.codings(of: head) : []
            decoding = codings.isEmpty ? nil : DecodedContent(codings)
            // libcurl may not look at what comes while it sends, or together with a head that is too long for its
            // buffer.
            awaitsEnd = (sendsBody || collector.totalBytes > Self.receiveBufferSize) && collector.isHTTP2 && isOnHTTP2
            if awaitsEnd { noteProgressWithoutEnd() }
            return true
        case .discard:
            discardDeadline = loop.now &+ Self.discardTime
            loop.idleHeap.look(at: self, by: discardDeadline)
            return true
        case .fail(let error):
            failure = error
            return false
        }
    }

    /// True if the response may have content (RFC 9112, section 6.3).
    private func mayHaveContent(_ head: ResponseHead) -> Bool {
        head.statusCode != 204 && head.statusCode != 304 && transfer?.request.method != "HEAD"
    }

    /// Counts a byte of what a proxy sends before there is a tunnel. False: end the transfer.
    func noteTunnelByte() -> Bool {
        guard !isConnected, isRefusedByProxy else { return true }
        refusalBytes += 1
        return refusalBytes <= Self.discardLimit
    }

    /// Takes content. Returns what libcurl expects: the number of bytes, CURL_WRITEFUNC_PAUSE, or 0 to end.
    func receive(content bytes: UnsafeRawBufferPointer) -> Int {
        noteUse(bytes.count)
        guard !bytes.isEmpty else { return 0 }
        if isHoldingHead, !reportHead() { return 0 }
        collector.noteContent()
        guard let transfer, let handler, failure == nil else { return 0 }
        if transfer.isHeld { return Int(CURL_WRITEFUNC_PAUSE) }
        guard hasReportedHead else {
            failure = TransferError(.badResponse, message: "Content arrived before a response head.")
            return 0
        }
        switch delivery {
        case .deliver:
            // The same bytes come again. No pause while content is sent: whether a response that came early is complete
            // is asked meanwhile.
            guard isSendingContent || loop.readTurn.continues() else {
                return pauseReceiving(transfer, untilRest: true)
            }
            switch deliver(bytes, of: transfer, to: handler) {
            case .accepted:
                contentBytes &+= Int64(bytes.count)
                if awaitsEnd { noteProgressWithoutEnd() }
                return bytes.count
            case .pause:
                return pauseReceiving(transfer, untilRest: decoding?.hasYielded == true)
            case .enough:
                endsEarly = true
                return 0
            case .fail(let error):
                failure = error
                return 0
            }
        case .discard:
            discardedBytes += bytes.count
            guard discardedBytes > Self.discardLimit else { return bytes.count }
            endsEarly = true
            return 0
        case .fail(let error):
            failure = error
            return 0
        }
    }

    private var isSendingContent: Bool {
        switch body {
        case .none: false
        case .data(let data): bodyOffset < data.count
        case .source: true
        }
    }

    private func pauseReceiving(_ transfer: Transfer, untilRest: Bool) -> Int {
        isReceivePaused = true
        if untilRest { loop.resumeAtRest(transfer) }
        return Int(CURL_WRITEFUNC_PAUSE)
    }

    /// Takes note that the response, or the request's content, has gone on and the exchange is not over.
    func noteProgressWithoutEnd() {
        loop.noteAwaitedEnd(self)
        guard sendsBody, !isOverdue, contentBytes == collector.announcedLength else { return }
        isOverdue = true
        loop.idleHeap.look(at: self, by: loop.now &+ Self.overdueTime)
    }

    private var sendsBody: Bool {
        if case .none = body { false } else { true }
    }

    /// True if all content that the head announced has come, for a request that has content. A server that needs no
    /// more of the request may end the stream or the connection, and the response counts (RFC 9113, section 8.1). A
    /// length that a transfer coding overrides does not count (RFC 9112, section 6.3).
    var hasEarlyResponse: Bool {
        guard sendsBody, hasReportedHead, case .deliver = delivery else { return false }
        return contentBytes == collector.announcedLength
            && !collector.head.contains(.transferEncoding)
    }

    private func deliver(
        _ bytes: UnsafeRawBufferPointer, of transfer: Transfer, to handler: any TransferHandler
    ) -> ReceiveResult {
        guard let decoding else { return handler.transfer(transfer, didReceive: bytes) }
        return decoding.take(bytes) { handler.transfer(transfer, didReceive: $0) }
    }

    /// Tells libcurl in which directions the transfer may go on. An error: the transfer is over.
    func applyPauses() -> CurlCode {
        var mask: Int32 = CURLPAUSE_CONT
        if isReceivePaused || isHeld { mask |= CURLPAUSE_RECV }
        if isSendPaused || isHeld { mask |= CURLPAUSE_SEND }
        return CurlCode(curl_easy_pause(easy.pointer, mask))
    }
}
