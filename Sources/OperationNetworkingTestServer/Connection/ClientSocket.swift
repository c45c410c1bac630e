// SPDX-License-Identifier: MIT
internal import COpenSSL
internal import Glibc
internal import TestTLS

/// A client's socket, with TLS or without. Never blocks; confined to the server's thread.
final class ClientSocket {
    enum Progress {
        case bytes(Int)
        /// Nothing at present: `isWaitingToWrite` says for what.
        case blocked
        /// The other side sends nothing more.
        case ended
        /// The connection is of no more use.
        case failed
    }

    /// nil: closed.
    private(set) var descriptor: Int32?
    private let ssl: OpaquePointer?
    /// The handshake, or a key update, has something to send.
    private(set) var isWaitingToWrite = false

    /// Takes the descriptor, which is closed also when this throws.
    init(_ descriptor: Int32, _ tls: TLSServerContext?) throws {
        do {
            ssl = try tls?.makeConnection(on: descriptor)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        var one: Int32 = 1
        setsockopt(descriptor, IPPROTO_TCP_LEVEL, TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close() }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Progress {
        guard let descriptor else { return .failed }
        guard let ssl else {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            return count > 0 ? .bytes(count) : count == 0 ? .ended : Self.progress(errno)
        }
        ERR_clear_error()
        isWaitingToWrite = false
        let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
        return count > 0 ? .bytes(Int(count)) : progress(ssl, count)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Progress {
        guard let descriptor else { return .failed }
        guard let ssl else {
            let count = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            return count >= 0 ? .bytes(count) : Self.progress(errno)
        }
        ERR_clear_error()
        isWaitingToWrite = false
        let count = SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
        return count > 0 ? .bytes(Int(count)) : progress(ssl, count)
    }

    /// True if bytes that came are decrypted, and not read.
    var hasUnreadBytes: Bool { descriptor != nil && ssl.map { SSL_pending($0) > 0 } ?? false }

    private static func progress(_ code: Int32) -> Progress {
        code == EAGAIN || code == EINTR ? .blocked : .failed
    }

    private func progress(_ ssl: OpaquePointer, _ result: Int32) -> Progress {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .blocked
        case SSL_ERROR_WANT_WRITE:
            isWaitingToWrite = true
            return .blocked
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: return .failed
        }
    }

    /// Says that nothing more is sent: within TLS, and to the other side's kernel. False: there is no room for it yet.
    func finishSending() -> Bool {
        guard let descriptor else { return true }
        if let ssl, SSL_is_init_finished(ssl) == 1 {
            ERR_clear_error()
            let result = SSL_shutdown(ssl)
            isWaitingToWrite = result < 0 && SSL_get_error(ssl, result) == SSL_ERROR_WANT_WRITE
            guard !isWaitingToWrite else { return false }
        }
        shutdown(descriptor, Int32(SHUT_WR))
        return true
    }

    /// The next `close()` tells the other side that the connection was broken, and sends nothing that is left.
    func breakOff() {
        guard let descriptor else { return }
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
    }

    func close() {
        guard let descriptor else { return }
        self.descriptor = nil
        if let ssl { SSL_free(ssl) }
        Glibc.close(descriptor)
    }
}

private let IPPROTO_TCP_LEVEL = Int32(IPPROTO_TCP)
