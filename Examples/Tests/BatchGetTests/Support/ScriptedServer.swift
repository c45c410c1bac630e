// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import Synchronization

/// Answers each connection with bytes, and closes it: what no server should send, and when.
final class ScriptedServer: Sendable {
    private let listener: Int32
    private let port: UInt16
    private let heads = Mutex<[String]>([])

    /// - Parameter answers: to the first connection, the second one and so on; the last one to all that follow.
    init(_ answers: [Data]) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isListening else { throw TestFailure("cannot listen: \(String(cString: strerror(errno)))") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0, let self else { break }
                self.answer(connection, answers)
            }
            close(descriptor)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    var url: String { "http://127.0.0.1:\(port)/a" }

    /// The heads of the requests so far.
    var requests: [String] { heads.withLock { $0 } }

    private func answer(_ connection: Int32, _ answers: [Data]) {
        defer { close(connection) }
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            head += buffer.prefix(count)
        }
        let number = heads.withLock { heads in
            heads.append(String(decoding: head, as: UTF8.self))
            return heads.count
        }
        guard let answer = answers.prefix(number).last else { return }
        answer.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = send(connection, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
