// SPDX-License-Identifier: MIT
import Glibc
import NetworkingSupport

/// A server of blocking sockets on threads: each connection runs a script, which can do anything a server must not.
// Sendable because everything mutable is behind a lock.
final class ScriptedServer: Sendable {
    typealias Script = @Sendable (ScriptedConnection) -> Void

    let port: Int
    private let listener: Int32
    private let script: Script
    private let state = Locked(State())

    private struct State {
        var isStopped = false
        var connectionCount = 0
        var open: Set<Int32> = []
    }

    /// Listens on a free port of 127.0.0.1. The script of a connection gets `receiveBuffer` bytes of kernel buffer.
    init(receiveBuffer: Int32? = nil, _ script: @escaping Script) {
        self.script = script
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        if var receiveBuffer {
            setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
            // The loopback's segments of 64 kB make a small window open in leaps, up to seconds apart.
            var segment: Int32 = 1400
            setsockopt(listener, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, 4)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        port = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(bind(listener, pointer, length) == 0 && listen(listener, 4096) == 0)
                getsockname(listener, pointer, &length)
            }
            return Int(UInt16(bigEndian: $0.pointee.sin_port))
        }
        startThread { [self] in accept() }
    }

    /// A server that answers each request "slow", once `gate` is open.
    ///
    /// - Parameter arrived: opened when there are `count` requests.
    static func holding(_ count: Int, arrived: Latch, until gate: Latch) -> ScriptedServer {
        let missing = Locked(count)
        return ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            if missing.withLock({
                $0 -= 1
                return $0 == 0
            }) {
                arrived.open()
            }
            gate.wait()
            connection.respond("slow")
        }
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Connections accepted so far.
    var connectionCount: Int { state.withLock { $0.connectionCount } }

    func stop() {
        // Descriptors are shut down and closed under the lock only: a number that is free is soon another server's.
        state.withLock { state in
            state.isStopped = true
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Refuses connections from now on; those that are there stay.
    func stopListening() {
        state.withLock { $0.isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            let number = state.withLock { state -> Int? in
                guard descriptor >= 0, !state.isStopped else { return nil }
                state.connectionCount += 1
                state.open.insert(descriptor)
                return state.connectionCount
            }
            guard let number else {
                if descriptor >= 0 { close(descriptor) }
                close(listener)
                return
            }
            var one: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
            startThread { [self] in
                script(ScriptedConnection(descriptor: descriptor, number: number))
                state.withLock { state in
                    state.open.remove(descriptor)
                    close(descriptor)
                    return
                }
            }
        }
    }
}

/// One connection of a `ScriptedServer`. Used by its script's thread only.
final class ScriptedConnection {
    let descriptor: Int32
    /// Counts from 1.
    let number: Int
    private var buffer: [UInt8] = []

    init(descriptor: Int32, number: Int) {
        self.descriptor = descriptor
        self.number = number
    }

    /// A request's head, and its content when it has a `Content-Length`.
    struct Request {
        var head: String
        var content: [UInt8] = []
        var lines: [Substring] { head.split(separator: "\r\n") }
        func value(_ name: String) -> String? {
            for line in lines.dropFirst() where line.lowercased().hasPrefix(name.lowercased() + ":") {
                return String(line.dropFirst(name.count + 1).drop { $0 == " " })
            }
            return nil
        }
    }

    /// Nil: the client closed.
    func readRequest(withContent: Bool = true) -> Request? {
        guard var request = readHead() else { return nil }
        if withContent {
            if let length = request.value("Content-Length").flatMap({ Int($0) }) {
                while buffer.count < length { guard fill() else { return nil } }
                request.content = Array(buffer.prefix(length))
                buffer.removeFirst(length)
            } else if request.value("Transfer-Encoding")?.lowercased() == "chunked" {
                guard let content = readChunks() else { return nil }
                request.content = content
            }
        }
        return request
    }

    func readHead() -> Request? {
        while true {
            if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer.removeFirst(end.upperBound)
                return Request(head: head)
            }
            guard fill() else { return nil }
        }
    }

    private func readChunks() -> [UInt8]? {
        var content: [UInt8] = []
        while true {
            guard let line = readLine(), let size = Int(line, radix: 16) else { return nil }
            while buffer.count < size + 2 { guard fill() else { return nil } }
            content += buffer.prefix(size)
            buffer.removeFirst(size + 2)
            if size == 0 { return content }
        }
    }

    private func readLine() -> String? {
        while true {
            if let end = buffer.firstRange(of: [0x0D, 0x0A]) {
                let line = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer.removeFirst(end.upperBound)
                return line
            }
            guard fill() else { return nil }
        }
    }

    /// Exactly so many bytes; nil: the client closed before.
    func read(_ count: Int) -> [UInt8]? {
        while buffer.count < count { guard fill() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Bytes that came along with what was read last.
    var bufferedCount: Int { buffer.count }

    /// Reads some bytes; -1 at the end.
    func readSome(_ count: Int = 65536) -> Int {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(descriptor, &bytes, count, 0)
    }

    private func fill() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        buffer += bytes.prefix(count)
        return true
    }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// A complete response.
    func respond(_ content: String = "", status: Int = 200, headers: String = "") {
        write("HTTP/1.1 \(status) X\r\nContent-Length: \(content.utf8.count)\r\n\(headers)\r\n\(content)")
    }

    /// Answers every request of the connection the same way.
    func respondToAll(_ content: String = "", status: Int = 200, headers: String = "") {
        while readRequest() != nil { respond(content, status: status, headers: headers) }
    }

    /// Waits until the client closes.
    func waitForEnd() { while readSome() > 0 {} }

    /// Ends the connection now, not when the script returns.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Closes with a RST.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// The server's own time: what a test measures, not how it waits.
    func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }
}

/// Runs `body` on a thread of its own.
func startThread(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(ThreadBody(run: body))
    var thread = pthread_t()
    let code = pthread_create(
        &thread, nil,
        { context in
            Unmanaged<ThreadBody>.fromOpaque(context!).takeRetainedValue().run()
            return nil
        }, box.toOpaque())
    precondition(code == 0)
    pthread_detach(thread)
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
}
