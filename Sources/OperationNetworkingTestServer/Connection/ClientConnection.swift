// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import TestTLS

/// A connection that a client has made: lets a protocol read what comes, and sends what that has to say. Confined to
/// the server's thread.
final class ClientConnection: ServerThread.Client {
    private enum State {
        /// The client's protocol is not known yet.
        case undecided
        case open(any HTTPProtocol)
        /// Nothing more is sent, and what comes is dropped, until the client closes: a close with something unread
        /// would take away what the client has not read.
        case finished
    }

    /// Bytes that may wait to be sent before a protocol is asked for more.
    private static let backlog = 64 * 1024
    /// Seconds that a client may take to close after us.
    private static let finishTimeout = 2.0

    let core: ServerCore
    private let socket: ClientSocket
    private var state = State.undecided
    /// The bytes that came before the protocol was known.
    private var opening: [UInt8] = []
    private var output: [UInt8] = []
    private var outputStart = 0
    private var ending: Ending?
    /// The client sends nothing more.
    private var hasEnded = false
    private var isPumping = false
    /// All is sent, and the time for the end runs.
    private var isTimed = false

    /// The way that a connection ends once all is sent.
    private enum Ending {
        case orderly, abrupt
    }

    init(_ socket: ClientSocket, _ core: ServerCore) {
        self.socket = socket
        self.core = core
    }

    // MARK: Events

    var descriptor: Int32? { socket.descriptor }

    var awaitedEvents: Int16 {
        var events: Int32 = 0
        if wantsInput { events |= POLLIN }
        if outputStart < output.count || socket.isWaitingToWrite { events |= POLLOUT }
        return Int16(events)
    }

    private var wantsInput: Bool {
        guard !hasEnded else { return false }
        if case .open(let driver) = state { return driver.takesInput }
        return true
    }

    func handle(_ events: Int16) {
        if events & Int16(POLLERR) != 0 { return close() }
        if wantsInput { read() }
        pump()
        // The client has gone, and will not read the rest.
        if hasEnded, events & Int16(POLLHUP) != 0 { close() }
    }

    private func read() {
        withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 16) { buffer in
            while wantsInput, socket.descriptor != nil {
                switch socket.read(into: buffer) {
                case .bytes(let count): receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                case .blocked: return
                case .ended: return inputEnded()
                case .failed: return close()
                }
            }
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        // What cannot be answered any more is not taken.
        guard ending == nil else { return }
        switch state {
        case .open(let driver):
            driver.receive(bytes)
        case .finished:
            break
        case .undecided:
            opening.append(contentsOf: bytes)
            guard let driver = makeProtocol() else { return }
            state = .open(driver)
            let first = opening
            opening = []
            first.withUnsafeBytes { driver.receive($0) }
        }
    }

    /// Returns a session for the protocol of the first bytes: HTTP/2 if they are its preface (RFC 9113, 3.4); nil: too
    /// few bytes have come to tell.
    private func makeProtocol() -> (any HTTPProtocol)? {
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        if core.speaksHTTP2, opening.starts(with: preface) { return HTTP2Session(self) }
        if core.speaksHTTP2, preface.starts(with: opening) { return nil }
        if core.speaksHTTP1 { return HTTP1Session(self) }
        close()
        return nil
    }

    private func inputEnded() {
        hasEnded = true
        switch state {
        case .open(let driver): driver.inputEnded()
        case .undecided, .finished: close()
        }
    }

    // MARK: For protocols

    /// True if more may be given to `send`; false: it should rather wait for `produce`.
    var isReady: Bool { ending == nil && output.count - outputStart < Self.backlog }

    func send(_ bytes: some Sequence<UInt8>) {
        core.thread.assertIsCurrent()
        if ending == nil { output.append(contentsOf: bytes) }
    }

    /// Closes once all is sent.
    func finish() { if ending == nil { ending = .orderly } }

    /// Breaks the connection off once all is sent.
    func breakOff() { if ending == nil { ending = .abrupt } }

    /// Sends what there is, and what the protocol then has.
    func pump() {
        core.thread.assertIsCurrent()
        // A protocol may call from within `produce`.
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        repeat { sendAll() } while readLeftOver()
    }

    private func sendAll() {
        while socket.descriptor != nil {
            if case .open(let driver) = state, isReady { driver.produce() }
            guard outputStart < output.count else { return end() }
            guard flush() else { return }
        }
    }

    /// Reads what TLS has of the client's while nothing was wanted: of that the descriptor does not tell.
    private func readLeftOver() -> Bool {
        guard wantsInput, socket.hasUnreadBytes else { return false }
        read()
        return true
    }

    /// Breaks the connection off at once.
    func cut() {
        socket.breakOff()
        close()
    }

    /// Writes as much as can be; false: something is left.
    private func flush() -> Bool {
        while outputStart < output.count {
            let progress = output.withUnsafeBytes { bytes in
                socket.write(UnsafeRawBufferPointer(rebasing: bytes[outputStart...].prefix(1 << 20)))
            }
            switch progress {
            case .bytes(let count): outputStart += count
            case .blocked: return false
            case .ended, .failed:
                close()
                return false
            }
        }
        output.removeAll(keepingCapacity: output.capacity <= 4 * Self.backlog)
        outputStart = 0
        return true
    }

    private func end() {
        guard let ending, !isFinished else { return }
        if !isTimed, case .orderly = ending {
            isTimed = true
            core.thread.after(Self.finishTimeout) { [weak self] in self?.close() }
        }
        switch ending {
        case .orderly: guard socket.finishSending() else { return }
        case .abrupt: socket.breakOff()
        }
        if case .open(let driver) = state { driver.close() }
        state = .finished
        if case .orderly = ending, !hasEnded { return }
        close()
    }

    private var isFinished: Bool {
        if case .finished = state { return true }
        return false
    }

    func close() {
        guard socket.descriptor != nil else { return }
        if case .open(let driver) = state { driver.close() }
        state = .finished
        output = []
        outputStart = 0
        socket.close()
        core.connectionClosed()
    }
}
