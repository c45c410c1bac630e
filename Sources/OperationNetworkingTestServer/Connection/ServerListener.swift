// SPDX-License-Identifier: MIT
internal import CLinux
internal import Foundation
internal import Glibc

/// The socket at which clients connect. Confined to the server's thread once it is added there.
final class ServerListener: ServerThread.Client {
    private(set) var descriptor: Int32?
    let port: Int
    /// Serves the clients that connect.
    weak var core: ServerCore?
    /// There are no descriptors left: waits a little.
    private var isPaused = false

    /// Listens at an address of this machine.
    ///
    /// - Parameter port: 0: a free one.
    init(address: String, port: Int) throws {
        guard let number = UInt16(exactly: port) else { throw HTTPStubServerError(reason: "\(port) is no port") }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address, String(number), &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0, let found = list?.pointee else {
            throw HTTPStubServerError(reason: "“\(address)” is no IP address")
        }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(found.ai_family, type, 0)
        guard descriptor >= 0 else { throw HTTPStubServerError(call: "socket", code: errno) }
        do {
            var one: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
            guard bind(descriptor, found.ai_addr, found.ai_addrlen) == 0 else {
                throw HTTPStubServerError(call: "bind to \(address), port \(port)", code: errno)
            }
            guard listen(descriptor, 1024) == 0 else { throw HTTPStubServerError(call: "listen", code: errno) }
            self.port = try Self.port(of: descriptor)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close() }

    private static func port(of descriptor: Int32) throws -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutableBytes(of: &storage) { bytes in
            getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        guard code == 0 else { throw HTTPStubServerError(call: "getsockname", code: errno) }
        // It stands in the same place for both families.
        return withUnsafeBytes(of: &storage) { Int($0[2]) << 8 | Int($0[3]) }
    }

    var awaitedEvents: Int16 { isPaused ? 0 : Int16(POLLIN) }

    func handle(_ events: Int16) {
        while let descriptor, let core {
            let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let client = on_accept(descriptor, flags)
            if client >= 0 {
                core.accept(client)
            } else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS { pause() }
                return
            }
        }
    }

    private func pause() {
        isPaused = true
        core?.thread.after(0.05) { [weak self] in self?.isPaused = false }
    }

    func close() {
        guard let descriptor else { return }
        self.descriptor = nil
        Glibc.close(descriptor)
    }
}
