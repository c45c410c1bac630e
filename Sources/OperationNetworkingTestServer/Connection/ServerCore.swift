// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport
internal import OperationNetworkingTesting
internal import TestTLS

/// The parts that all connections of a server share.
// Sendable because everything mutable is locked, or touched on `thread` only.
final class ServerCore: @unchecked Sendable {
    let thread: ServerThread
    let stubs: HTTPStubs
    let tls: TLSServerContext?
    let speaksHTTP1: Bool
    let speaksHTTP2: Bool
    /// As in URLs, for requests that do not say whom they mean.
    let authority: String
    private let connectionCounts = Locked((accepted: 0, open: 0))
    /// Touched on `thread` only.
    private var connections: [Weak] = []

    private struct Weak {
        weak var connection: ClientConnection?
    }

    init(
        _ stubs: HTTPStubs, _ tls: TLSServerContext?, _ protocols: Set<HTTPStubServer.ProtocolVersion>,
        authority: String
    ) throws {
        thread = try ServerThread()
        self.stubs = stubs
        self.tls = tls
        self.authority = authority
        speaksHTTP1 = protocols.contains(.http1)
        speaksHTTP2 = protocols.contains(.http2)
    }

    var scheme: String { tls == nil ? "http" : "https" }

    var acceptedConnectionCount: Int { connectionCounts.withLock { $0.accepted } }
    var openConnectionCount: Int { connectionCounts.withLock { $0.open } }

    // MARK: From any thread

    func start(_ listener: ServerListener) {
        listener.core = self
        let newcomer = Newcomer(listener: listener)
        thread.perform { [self] in thread.add(newcomer.listener) }
        thread.start()
    }

    private struct Newcomer: Sendable {
        // Safe because no other thread uses it once the server's thread has it.
        nonisolated(unsafe) let listener: ServerListener
    }

    func stop() { thread.perform { [thread] in thread.end() } }

    /// Waits until it is done.
    func closeConnections() {
        let isDone = Latch()
        let isThere = thread.perform { [self] in
            cutConnections()
            isDone.open()
        }
        if isThere { isDone.wait() }
    }

    // MARK: On the thread

    func accept(_ descriptor: Int32) {
        // What cannot be served is closed.
        guard let socket = try? ClientSocket(descriptor, tls) else { return }
        connectionCounts.withLock { counts in
            counts.accepted += 1
            counts.open += 1
        }
        let connection = ClientConnection(socket, self)
        connections.removeAll { $0.connection == nil }
        connections.append(Weak(connection: connection))
        thread.add(connection)
    }

    func connectionClosed() { connectionCounts.withLock { $0.open -= 1 } }

    private func cutConnections() {
        for connection in connections { connection.connection?.cut() }
        connections = []
    }
}
