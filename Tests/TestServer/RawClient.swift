// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// A TCP client of a few lines, so that the server is not tested with the library that it is there to test.
package final class RawClient {
    private let descriptor: Int32

    package init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        var timeout = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    package func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// What comes next; empty: the end. Throws ECONNRESET on a reset, and EAGAIN when nothing comes for 5 s.
    package func receive() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Everything until the text ends in `suffix`.
    package func receive(through suffix: String) throws -> String {
        var text = ""
        while !text.hasSuffix(suffix) {
            let part = try receive()
            guard !part.isEmpty else { break }
            text += part
        }
        return text
    }

    package func receiveAll() throws -> String {
        var text = ""
        while true {
            let part = try receive()
            guard !part.isEmpty else { return text }
            text += part
        }
    }
}
