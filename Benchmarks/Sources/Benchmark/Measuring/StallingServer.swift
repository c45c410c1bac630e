// SPDX-License-Identifier: MIT
internal import Foundation

/// A server on 127.0.0.1 that takes connections, reads what they send and never answers.
// Sendable because `_requestCount` is guarded by `lock` and the rest is immutable or of the one thread that serves.
final class StallingServer: @unchecked Sendable {
    let port: UInt16
    private let listener: Int32
    private let lock = NSLock()
    private var _requestCount = 0

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 1024) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { throw BenchmarkError("no socket to listen on: \(String(cString: strerror(errno)))") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in serve() }
    }

    /// Connections that have sent something.
    var requestCount: Int { lock.withLock { _requestCount } }

    private func serve() {
        var watched = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            guard poll(&watched, nfds_t(watched.count), -1) > 0 else { continue }
            var next = watched
            for entry in watched where entry.revents != 0 {
                if entry.fd == listener {
                    let connection = accept(listener, nil, nil)
                    if connection >= 0 { next.append(pollfd(fd: connection, events: Int16(POLLIN), revents: 0)) }
                } else if recv(entry.fd, &buffer, buffer.count, 0) > 0 {
                    lock.withLock { _requestCount += 1 }
                } else {
                    close(entry.fd)
                    next.removeAll { $0.fd == entry.fd }
                }
            }
            watched = next
        }
    }
}
