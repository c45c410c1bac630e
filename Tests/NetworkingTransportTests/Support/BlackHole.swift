// SPDX-License-Identifier: MIT
import Glibc

/// A listening socket that accepts nobody and whose queue is full: connection attempts to it stay unanswered.
struct BlackHole {
    private let descriptors: [Int32]
    let url: String

    init() {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var all = [listener]
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(bind(listener, pointer, length) == 0 && listen(listener, 0) == 0)
                getsockname(listener, pointer, &length)
                for _ in 0..<4 {
                    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                    _ = connect(client, pointer, length)
                    all.append(client)
                }
            }
        }
        descriptors = all
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    }

    func close() { for descriptor in descriptors { Glibc.close(descriptor) } }
}
