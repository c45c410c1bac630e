// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import Glibc
@testable import NetworkingSupport
import OperationNetworking

/// Requests to a server on the loopback that answers with what it is told, byte for byte.
final class Exchange: Sendable {
    static let shared = Exchange()

    private struct State {
        /// Answers to the next connections; the last one to all that follow.
        var replies: [Data] = []
        /// Where an answer is cut into two pieces.
        var cut = 0
        /// Answers are frames, after settings.
        var speaksHTTP2 = false
    }
    private let state = Locked(State())
    private let listener: Int32
    private let port: Int
    private let queue = DispatchQueue(label: "fuzz.completion")

    private init() {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { broken("a server on the loopback") }
        port = Int(UInt16(bigEndian: address.sin_port))
        let thread = Thread { [self] in serve() }
        thread.start()
    }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            var patience = timeval(tv_sec: 2, tv_usec: 0)
            setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            var one: Int32 = 1
            setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
            if state.withLock({ $0.speaksHTTP2 }) ? readFrames(connection) : readHead(connection) {
                let (reply, cut) = state.withLock { state in
                    let reply = (state.speaksHTTP2 ? Frames.settings : Data()) + (state.replies.first ?? Data())
                    if state.replies.count > 1 { state.replies.removeFirst() }
                    return (reply, min(state.cut, reply.count))
                }
                for piece in [reply.prefix(cut), reply.dropFirst(cut)] where !piece.isEmpty {
                    piece.withUnsafeBytes { _ = send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                }
            }
            close(connection)
        }
    }

    private func readHead(_ connection: Int32) -> Bool {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 8192)
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            head += buffer.prefix(count)
        }
        return true
    }

    /// Reads up to the frame that begins the request.
    private func readFrames(_ connection: Int32) -> Bool {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 8192)
        var next = Frames.prefaceLength
        while true {
            if bytes.count >= next + Frames.headLength {
                if bytes[next + 3] == Frames.headers { return true }
                next += Frames.headLength + Int(bytes[next]) << 16 + Int(bytes[next + 1]) << 8 + Int(bytes[next + 2])
                continue
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            bytes += buffer.prefix(count)
        }
    }

    /// Sends a GET, and waits for its end.
    ///
    /// - Parameters:
    ///   - replies: to its connections; the last one to all further ones.
    ///   - cut: where each reply is cut into two pieces.
    ///   - speaksHTTP2: the replies are frames, sent after the server's settings.
    func run(_ replies: [Data], cut: Int = 0, credential: URLCredential? = nil, speaksHTTP2: Bool = false) {
        state.withLock {
            $0.replies = replies
            $0.cut = cut
            $0.speaksHTTP2 = speaksHTTP2
        }
        var request = URLRequest(url: URL(string: "http://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/"))
        request.timeoutInterval = 5
        let operation = HTTPRequestOperation(request: request)
        operation.credential = credential
        operation.shouldUseCredentialStorage = false
        operation.completionQueue = queue
        if speaksHTTP2 { operation.httpVersionPreference = .http2PriorKnowledge }
        // What an input leads to is this server, or nothing.
        operation.setRedirectResponseBlock { [port] _, next, response in
            guard response != nil else { return next }
            return next.url?.host == "127.0.0.1" && next.url?.port == port ? next : nil
        }
        let end = DispatchSemaphore(value: 0)
        let completions = Locked(0)
        operation.setCompletionBlockWithSuccess(
            { _, _ in
                completions.withLock { $0 += 1 }
                end.signal()
            },
            failure: { _, _ in
                completions.withLock { $0 += 1 }
                end.signal()
            })
        operation.start()
        guard end.wait(timeout: .now() + 30) == .success else { broken("an operation ends") }
        guard operation.isFinished, completions.withLock({ $0 }) == 1 else { broken("an operation ends once") }
        guard operation.error != nil || operation.response != nil else { broken("an operation has a result") }
        _ = operation.responseString
    }
}
