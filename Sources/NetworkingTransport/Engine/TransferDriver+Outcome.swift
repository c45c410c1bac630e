// SPDX-License-Identifier: MIT
internal import CCurl
internal import NetworkingSupport

extension TransferDriver {
    /// Returns how the transfer ended. Called before its handle leaves the multi.
    func outcome(code: CurlCode) -> TransferOutcome {
        if code == .CURLE_OK, failure == nil {
            noteBodySent()
            // A response without content, or a challenge that libcurl did not answer after all.
            if collector.isComplete { _ = reportHead() }
        } else {
            noteCopiedBodySent()
        }
        let error = error(code: code)
        // libcurl's clock stands still from the last thing that it did.
        let isEndOfLibcurls = error == nil && code == .CURLE_OK && !endsEarly
        var outcome = TransferOutcome(
            error: error, timings: timings(until: isEndOfLibcurls ? nil : MonotonicClock.now))
        outcome.trailers = collector.trailers
        return outcome
    }

    private func error(code: CurlCode) -> TransferError? {
        if let failure { return failure }
        if endsEarly { return nil }
        guard code != .CURLE_OK, !hasEarlyResponse else {
            if hasReportedHead { return isCutShort(code: code) ? Self.cutShortError : decoding?.finish() }
            return TransferError(
                .connectionLost, message: "The connection was closed before a response head was complete.")
        }
        if isLostWhereOthersRepeat(code: code) { return Self.lostError }
        var circumstances = TransferError.Circumstances()
        circumstances.wasConnected = easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0
        circumstances.hasHead = collector.isComplete
        circumstances.isBrokenHTTP2 =
            CurlGlobal.takesBrokenConnectionsForEnds && transfer?.ledger.wasHTTP2 == true && !isEndExplained
        circumstances.hasClientIdentity = pool.tls.clientIdentity != nil
        circumstances.verificationFailure = verification?.failure
        circumstances.concernsProxy = verification?.peer == .proxy
        if let verification, verification.peer == .server {
            circumstances.wasAskedForIdentity = verification.wasAskedForCertificate
            circumstances.alert = verification.alert
            let chain = verification.rejectedChain
            if !chain.isEmpty { circumstances.rejectedServer = .init(chain: chain, host: verification.host) }
        }
        if pool.proxy != nil {
            circumstances.connectStatus = easy.long(CURLINFO_HTTP_CONNECTCODE)
            circumstances.proxyCode = CURLproxycode(UInt32(truncatingIfNeeded: easy.long(CURLINFO_PROXY_ERROR)))
        }
        let text = pool.proxy?.redacting(easy.errorText) ?? easy.errorText
        circumstances.systemErrno =
            socketError != 0 && code == .CURLE_COULDNT_CONNECT
            ? socketError
            : TransferError.systemErrno(Int32(truncatingIfNeeded: easy.long(CURLINFO_OS_ERRNO)), of: code, text)
        var error = TransferError.curl(code, text: text, circumstances: circumstances)
        if error.kind == .timedOut { error.message += " while \(phase.rawValue)" }
        return error
    }

    var phase: TransferPhase {
        if collector.totalBytes > 0 { return .receiving }
        if easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0 {
            return bodyLength.map { bodyOffset < $0 } ?? isSourceOpen ? .sending : .waiting
        }
        if verification?.peer == .server { return .handshake }
        return easy.offset(CURLINFO_NAMELOOKUP_TIME_T) > 0 ? .connecting : .nameLookup
    }

    /// - Parameter end: The time of the end; nil: the time at which libcurl had the response.
    private func timings(until end: UInt64?) -> TransferTimings {
        let preTransfer = easy.seconds(CURLINFO_PRETRANSFER_TIME_T)
        let elapsed = end.map { $0 > activationTime ? Double($0 - activationTime) / 1_000_000_000 : 0 } ?? 0
        let total = max(easy.seconds(CURLINFO_TOTAL_TIME_T), elapsed)
        // libcurl's clock begins a moment later.
        func offset(of time: UInt64) -> Double {
            time > activationTime ? min(max(preTransfer, Double(time - activationTime) / 1_000_000_000), total) : 0
        }
        let firstByte = offset(of: headTime)
        let sent = max(preTransfer, offset(of: sentTime))
        let requestEnd = firstByte > 0 ? min(sent, firstByte) : sent
        let reusesConnection = preTransfer > 0 && easy.long(CURLINFO_NUM_CONNECTS) == 0
        return TransferTimings(
            queued: transfer.map { Double(activationTime &- $0.startTime) / 1_000_000_000 } ?? 0,
            // For a connection in use libcurl counts the time until it found it.
            nameLookup: reusesConnection ? 0 : easy.seconds(CURLINFO_NAMELOOKUP_TIME_T),
            connect: easy.seconds(CURLINFO_CONNECT_TIME_T), secureConnect: easy.seconds(CURLINFO_APPCONNECT_TIME_T),
            preTransfer: preTransfer, requestEnd: requestEnd, phase: phase, firstByte: firstByte, total: total,
            bytesSent: bodyOffset, bytesReceived: easy.offset(CURLINFO_SIZE_DOWNLOAD_T),
            headerBytesReceived: Int64(collector.totalBytes), headerBytesSent: headerBytesSent,
            reusedConnection: reusesConnection, httpVersion: collector.isComplete ? collector.httpVersion : "",
            remoteAddress: easy.string(CURLINFO_PRIMARY_IP), remotePort: easy.long(CURLINFO_PRIMARY_PORT),
            localAddress: easy.string(CURLINFO_LOCAL_IP), localPort: easy.long(CURLINFO_LOCAL_PORT),
            tlsVersion: tlsVersion.map { String(cString: $0) } ?? "",
            tlsCipher: tlsCipher.map { String(cString: $0) } ?? "", tlsCipherSuite: tlsCipherSuite)
    }

    /// The bytes of the request's head. libcurl counts content that it was given in advance together with the head.
    private var headerBytesSent: Int64 {
        let size = Int64(easy.long(CURLINFO_REQUEST_SIZE))
        guard isContentCopied, bodyOffset <= size else { return size }
        return size - bodyOffset
    }
}
