// SPDX-License-Identifier: MIT
import Glibc
import Testing

@testable import NetworkingTransport

extension PressureTrigger {
    /// A trigger that fires when the test says so: a TCP connection whose other end sends urgent data.
    static func scripted() throws -> (PressureTrigger, @Sendable () -> Void) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0 && connect(client, address, length) == 0
            }
        }
        try #require(isConnected)
        let server = accept(listener, nil, nil)
        try #require(server >= 0)
        return (PressureTrigger(takingOwnership: server), { send(client, "!", 1, Int32(MSG_OOB)) })
    }
}
