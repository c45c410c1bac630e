// SPDX-License-Identifier: MIT
import Foundation
import Glibc

/// A server that says 200 to everything.
struct Listener {
    private let descriptor: Int32
    let port: UInt16

    init?() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isReady else { return nil }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    func answer() {
        let thread = Thread { [descriptor] in
            while true {
                let connection = accept(descriptor, nil, nil)
                var buffer = [UInt8](repeating: 0, count: 4096)
                _ = read(connection, &buffer, buffer.count)
                let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
                _ = write(connection, response, response.count)
                _ = close(connection)
            }
        }
        thread.start()
    }
}
