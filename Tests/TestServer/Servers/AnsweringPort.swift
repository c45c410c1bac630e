// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// A port at 127.0.0.1 that answers whatever comes with the same bytes, and closes: it knows no protocol.
package final class AnsweringPort: Sendable {
    package let port: Int
    private let socket: Int32

    package init(_ answer: String) throws {
        let (listener, port) = try bindLoopback()
        guard listen(listener, 16) == 0 else { throw SystemError(call: "listen", code: errno) }
        socket = listener
        self.port = port
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                var buffer = [UInt8](repeating: 0, count: 4096)
                _ = recv(connection, &buffer, buffer.count, 0)
                _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
                Glibc.close(connection)
            }
            Glibc.close(listener)
        }
    }

    // Ends `accept`.
    deinit { shutdown(socket, Int32(SHUT_RDWR)) }
}
