// SPDX-License-Identifier: MIT
internal import CCurl
internal import Foundation
internal import NetworkingSupport

extension TransferDriver {
    /// Fills libcurl's buffer. Returns what it expects: bytes, 0 at the end, CURL_READFUNC_PAUSE or
    /// CURL_READFUNC_ABORT.
    func readContent(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        noteUse(0)
        loop.contentReads &+= 1
        if awaitsEnd { noteProgressWithoutEnd() }
        guard failure == nil, buffer.count > 0 else { return Int(CURL_READFUNC_ABORT) }
        // It was held while libcurl had no connection to pause.
        guard !isHeld else { return Int(CURL_READFUNC_PAUSE) }
        switch body {
        case .none:
            return 0
        case .data(let data):
            let count = min(buffer.count, data.count - Int(bodyOffset))
            guard count > 0 else { return 0 }
            let start = data.startIndex + Int(bodyOffset)
            data.copyBytes(to: buffer, from: start..<start + count)
            noteSent(count)
            return count
        case .source(let source):
            return readContent(of: source, into: buffer)
        }
    }

    private func readContent(of source: any BodySource, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        openIfNeeded(source)
        switch source.read(into: buffer) {
        case .bytes(let count):
            guard count > 0, count <= buffer.count else {
                return fail("The body source answered with \(count) bytes for a buffer of \(buffer.count).")
            }
            if let bodyLength, bodyOffset + Int64(count) >= bodyLength {
                guard bodyOffset + Int64(count) == bodyLength, isAtEnd(source) else {
                    return fail("The body is longer than the \(bodyLength) bytes announced.")
                }
            }
            noteSent(count)
            return count
        case .wait:
            isSendPaused = true
            return Int(CURL_READFUNC_PAUSE)
        case .end:
            if let bodyLength, bodyOffset < bodyLength {
                return fail("The body ended after \(bodyOffset) of the \(bodyLength) bytes announced.")
            }
            return 0
        case .failed(let error):
            return fail("The body could not be produced.", cause: error)
        }
    }

    /// True if the source has no more after the last announced byte. One that does not know yet is believed, because a
    /// peer that keeps its end open would otherwise hold up a request that is complete.
    private func isAtEnd(_ source: any BodySource) -> Bool {
        var byte: UInt8 = 0
        return withUnsafeMutableBytes(of: &byte) { buffer in
            if case .bytes = source.read(into: buffer) { false } else { true }
        }
    }

    private func openIfNeeded(_ source: any BodySource) {
        guard !isSourceOpen, let transfer else { return }
        isSourceOpen = true
        source.open(wakeUp: { [loop, attempt, weak transfer] in
            guard let transfer else { return }
            loop.submit(.resumeSending(transfer, attempt: attempt))
        })
    }

    /// Goes back to the first byte, because libcurl has to send the request again.
    func rewindContent() -> Bool {
        lastActivity = loop.now
        switch body {
        case .none, .data:
            bodyOffset = 0
            return true
        case .source(let source):
            guard isSourceOpen else { return true }
            guard source.rewind(afterRefusal: transfer?.ledger.isRefused == true) else {
                failure =
                    transfer?.ledger.wouldRepeat == true
                    ? repetitionError
                    : TransferError(
                        .bodyNotReplayable, message: "The request has to be sent again, and its body cannot be.")
                return false
            }
            bodyOffset = 0
            isSourceOpen = false
            isSendPaused = false
            attempt &+= 1
            return true
        }
    }

    private func noteSent(_ count: Int) {
        bodyOffset += Int64(count)
        // Content that libcurl was given in advance goes out with the head. The time of the turn would not do: the
        // request may have begun later.
        if !isContentCopied { sentTime = MonotonicClock.now }
        if let transfer { handler?.transfer(transfer, didSend: bodyOffset) }
    }

    /// Reports content that libcurl was given in advance.
    func noteBodySent() {
        guard reportsBodyAtOnce, case .data(let data) = body else { return }
        reportsBodyAtOnce = false
        if !data.isEmpty { noteSent(data.count) }
    }

    /// Reports content that libcurl was given in advance, if the kernel has it by now.
    func noteCopiedBodySent() {
        guard reportsBodyAtOnce, case .data(let data) = body,
            easy.offset(CURLINFO_SIZE_UPLOAD_T) >= Int64(data.count)
        else { return }
        noteBodySent()
    }

    private func fail(_ message: String, cause: (any Error)? = nil) -> Int {
        failure = TransferError(.bodySource, message: message, cause: cause)
        return Int(CURL_READFUNC_ABORT)
    }
}
