// SPDX-License-Identifier: MIT
import Foundation
import Glibc

/// A server in a process of its own (`LoadMatrix --rude`) that breaks off, hesitates and echoes, as the path says. One thread
/// for each connection: it is simple, and its memory is not that of the program that is watched.
///
///     /b/SIZE-SEED           bytes; with ?short=N, ?reset=N: after N bytes of them an end, or a reset; ?early=1: a reset in
///                            place of an answer; ?slow=1: in four pieces with pauses; ?chunked=1: without a length
///     /echo                  what was sent
///     /events/COUNT-SEED     server-sent events
///     /moved/SIZE-SEED       a redirect to /b/SIZE-SEED
struct RudeServer {
    /// Runs until standard input ends.
    static func main() -> Never {
        signal(SIGPIPE, SIG_IGN)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 2_048) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else {
            perror("the rude server's socket")
            exit(1)
        }
        print("port \(Int(UInt16(bigEndian: address.sin_port)))")
        fflush(nil)
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while read(0, &byte, 1) > 0 {}
            exit(0)
        }
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            let thread = Thread { Connection(descriptor: connection).run() }
            thread.stackSize = 256 << 10
            thread.start()
        }
    }
}

extension RudeServer {
    /// One connection, on a thread of its own.
    final class Connection {
        let descriptor: Int32
        /// What was read and not used.
        private var input: [UInt8] = []
        private var buffer = [UInt8](repeating: 0, count: 64 << 10)

        init(descriptor: Int32) {
            self.descriptor = descriptor
            var on: Int32 = 1
            setsockopt(
                descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }

        func run() {
            while let request = readRequest(), answer(request) {}
            close(descriptor)
        }

        struct Request {
            var path = ""
            var query: [String: Int] = [:]
            var body: [UInt8] = []
            var isLast = false
        }

        private func readMore() -> Bool {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            input += buffer[..<count]
            return true
        }

        private func readRequest() -> Request? {
            var end = 0
            while true {
                if let found = Self.headEnd(input) {
                    end = found
                    break
                }
                guard input.count < 1 << 20, readMore() else { return nil }
            }
            let lines = String(decoding: input[..<end], as: UTF8.self).components(separatedBy: "\r\n")
            input.removeFirst(end)
            let words = lines[0].components(separatedBy: " ")
            guard words.count == 3 else { return nil }
            var request = Request()
            let target = words[1].components(separatedBy: "?")
            request.path = target[0]
            if target.count > 1 {
                for pair in target[1].components(separatedBy: "&") {
                    let parts = pair.components(separatedBy: "=")
                    request.query[parts[0]] = parts.count > 1 ? Int(parts[1]) ?? 0 : 1
                }
            }
            var length = 0
            var isChunked = false
            for line in lines.dropFirst() {
                let field = line.lowercased()
                if field.hasPrefix("content-length:") {
                    length = Int(field.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
                }
                if field.hasPrefix("transfer-encoding:"), field.contains("chunked") { isChunked = true }
                if field.hasPrefix("connection:"), field.contains("close") { request.isLast = true }
                if field.hasPrefix("expect:"), !write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) {
                    return nil
                }
            }
            guard let body = isChunked ? readChunks() : readBytes(length) else { return nil }
            request.body = body
            return request
        }

        private static func headEnd(_ bytes: [UInt8]) -> Int? {
            guard bytes.count >= 4 else { return nil }
            for index in 3..<bytes.count
            where bytes[index] == 10 && bytes[index - 1] == 13 && bytes[index - 2] == 10
                && bytes[index - 3] == 13
            {
                return index + 1
            }
            return nil
        }

        private func readBytes(_ count: Int) -> [UInt8]? {
            while input.count < count { guard readMore() else { return nil } }
            defer { input.removeFirst(count) }
            return Array(input[..<count])
        }

        private func readLine() -> String? {
            while true {
                if let end = input.firstIndex(of: 10) {
                    defer { input.removeFirst(end + 1) }
                    return String(decoding: input[..<end], as: UTF8.self).trimmingCharacters(
                        in: .whitespacesAndNewlines)
                }
                guard readMore() else { return nil }
            }
        }

        private func readChunks() -> [UInt8]? {
            var body: [UInt8] = []
            while let line = readLine() {
                guard let size = Int(line, radix: 16) else { return nil }
                guard size > 0 else { return readLine() == nil ? nil : body }
                guard let bytes = readBytes(size), readLine() != nil else { return nil }
                body += bytes
            }
            return nil
        }
    }
}
