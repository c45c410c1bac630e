// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// A port at 127.0.0.1 where connections are refused for as long as this object lives: it is taken, so that nobody else
/// can get it, but nobody listens.
package final class RefusedPort: Sendable {
    package let port: Int
    private let socket: Int32

    package init() throws {
        (socket, port) = try bindLoopback()
    }

    deinit { Glibc.close(socket) }

    package var urlString: String { "http://127.0.0.1:\(port)/" }
}

/// A port at 127.0.0.1 where connecting never ends: its queue is full and nobody accepts, so that the kernel drops what
/// else comes, as a firewall does.
package final class BlackholePort: Sendable {
    package let port: Int
    private let sockets: [Int32]

    package init() throws {
        let (listener, port) = try bindLoopback()
        guard listen(listener, 0) == 0 else { throw SystemError(call: "listen", code: errno) }
        self.port = port
        // Two fit into a queue of length 0, in one state or another; the others stay half open.
        sockets =
            [listener]
            + (0..<4).map { _ in
                let client = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                _ = withLoopbackAddress(port: port) { connect(client, $0, $1) }
                return client
            }
    }

    deinit { for socket in sockets { Glibc.close(socket) } }

    package var urlString: String { "http://127.0.0.1:\(port)/" }
}

/// A system call that failed.
struct SystemError: Error, CustomStringConvertible {
    var call: String
    var code: Int32
    var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// A TCP socket bound to a free port.
func bindLoopback() throws -> (socket: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError(call: "socket", code: errno) }
    guard withLoopbackAddress(port: 0, { bind(descriptor, $0, $1) }) == 0 else {
        throw SystemError(call: "bind", code: errno)
    }
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { throw SystemError(call: "getsockname", code: errno) }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
}

func withLoopbackAddress<Result>(
    port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port)).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

/// A port that was free a moment ago, for servers that have to be told one.
func freePort() throws -> Int {
    let (socket, port) = try bindLoopback()
    close(socket)
    return port
}
