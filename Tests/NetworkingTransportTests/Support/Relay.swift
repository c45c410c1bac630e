// SPDX-License-Identifier: MIT
import Glibc
import NetworkingSupport

/// A TCP relay in front of a server on this machine, which can stop relaying or become slow: what lies between a client and
/// a server.
final class Relay: Sendable {
    private struct State {
        var swallowed: Set<Int> = []
        /// The bytes of a piece, by connection.
        var dripping: [Int: Int] = [:]
        var ended: Set<Int> = []
    }
    private let state: Locked<State>
    private let server: ScriptedServer

    /// - Parameters:
    ///   - port: Of the server, on 127.0.0.1.
    ///   - begin: What comes before on a connection. False: nothing is relayed on it.
    init(to port: Int, after begin: @escaping @Sendable (ScriptedConnection) -> Bool = { _ in true }) {
        let state = Locked(State())
        self.state = state
        server = ScriptedServer { connection in
            guard begin(connection) else { return }
            let upstream = Self.connect(port)
            guard upstream >= 0 else { return }
            let descriptor = connection.descriptor
            let number = connection.number
            let done = Latch()
            startThread {
                Self.pump(
                    from: upstream, to: descriptor, isSwallowed: { state.withLock { $0.swallowed.contains(number) } }
                ) { state.withLock { $0.dripping[number] } }
                done.open()
            }
            Self.pump(from: descriptor, to: upstream, isSwallowed: { state.withLock { $0.swallowed.contains(number) } })
            {
                nil
            }
            state.withLock { _ = $0.ended.insert(number) }
            shutdown(upstream, Int32(SHUT_RDWR))
            done.wait()
            close(upstream)
        }
    }

    var port: Int { server.port }
    var connectionCount: Int { server.connectionCount }

    /// From now on what a connection carries, in either direction, is lost. Connections count from 1.
    func swallow(_ number: Int) { state.withLock { _ = $0.swallowed.insert(number) } }

    /// From now on what a connection carries to the client arrives byte by byte, or so many at a time, every ten milliseconds.
    func drip(_ number: Int, by count: Int = 1) { state.withLock { $0.dripping[number] = count } }

    /// Whether the client has closed a connection.
    func hasEnded(_ number: Int) -> Bool { state.withLock { $0.ended.contains(number) } }

    func stop() { server.stop() }

    private static func pump(
        from source: Int32, to target: Int32, isSwallowed: () -> Bool, pieceSize: () -> Int?
    ) {
        var bytes = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(source, &bytes, bytes.count, 0)
            guard count > 0 else { break }
            if isSwallowed() { continue }
            let drip = pieceSize()
            var sent = 0
            while sent < count {
                let wanted = min(drip ?? count, count - sent)
                let result = bytes.withUnsafeBytes {
                    send(target, $0.baseAddress! + sent, wanted, Int32(MSG_NOSIGNAL))
                }
                guard result > 0 else { return }
                sent += result
                if drip != nil { usleep(10_000) }
            }
        }
        if !isSwallowed() { shutdown(target, Int32(SHUT_WR)) }
    }

    private static func connect(_ port: Int) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return -1
        }
        return descriptor
    }
}
