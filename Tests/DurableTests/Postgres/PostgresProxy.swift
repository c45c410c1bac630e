// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkingSupport

/// A socket between a store and its server that loses one commit, or the answer to it, and both sides' connections.
final class PostgresProxy: Sendable {
    enum Fault: Sendable {
        /// The server never gets the commit.
        case losesCommit
        /// The server commits, and its answer never arrives.
        case losesAnswer
        /// The server never gets the commit, and this happens to it before the connection is lost.
        case losesCommitAfter(@Sendable () -> Void)
    }

    private struct State {
        var fault: Fault?
        var losses = 0
    }

    let folder: String
    private let target: String
    private let listener: Int32
    private let state = Locked(State())

    init(folder: String, port: Int, target: String) throws {
        self.folder = folder
        self.target = target + "/.s.PGSQL.\(port)"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard Self.withAddress(folder + "/.s.PGSQL.\(port)", { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0
        else { throw POSIXError(.EADDRNOTAVAIL) }
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { [self] in forward(client) }
            }
        }
    }

    /// The next commit meets the fault.
    func lose(_ fault: Fault) { state.withLock { $0.fault = fault } }
    var losses: Int { state.withLock { $0.losses } }
    func close() { _ = shutdown(listener, Int32(SHUT_RDWR)) }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    private func forward(_ client: Int32) {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer {
            Glibc.close(client)
            Glibc.close(server)
        }
        guard Self.withAddress(target, { connect(server, $0, $1) }) == 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var entries = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&entries, 2, -1) > 0 else { return }
            if entries[0].revents != 0 {
                let count = read(client, &buffer, buffer.count)
                guard count > 0 else { return }
                let fault = Data(buffer[..<count]).range(of: Data("COMMIT".utf8)) == nil ? nil : takeFault()
                switch fault {
                case .losesCommit: return
                case .losesCommitAfter(let event):
                    event()
                    return
                case .losesAnswer, nil: break
                }
                guard write(server, buffer, count) == count else { return }
                if case .losesAnswer = fault {
                    _ = read(server, &buffer, buffer.count)
                    return
                }
            }
            if entries[1].revents != 0 {
                let count = read(server, &buffer, buffer.count)
                guard count > 0, write(client, buffer, count) == count else { return }
            }
        }
    }

    private func takeFault() -> Fault? {
        state.withLock { state in
            if state.fault != nil { state.losses += 1 }
            return state.fault.take()
        }
    }
}
