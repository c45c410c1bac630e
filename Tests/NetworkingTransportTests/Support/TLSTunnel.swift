// SPDX-License-Identifier: MIT
import COpenSSL
import Glibc
import TestServer
import TestTLS

/// A proxy that is spoken to in TLS. What a server sends within some milliseconds goes to the client as one record.
enum TLSTunnel {
    /// - Parameters:
    ///   - port: of the server, whatever the client asks for.
    ///   - delay: milliseconds before CONNECT is answered.
    static func server(to port: Int, delay: UInt32) throws -> ScriptedServer {
        let context = try TLSServerContext(TLSSettings(FrontServer.identity.get()))
        return ScriptedServer { connection in
            guard let ssl = try? context.makeConnection(on: connection.descriptor) else { return }
            defer { SSL_free(ssl) }
            var buffer = [UInt8](repeating: 0, count: 16 * 1024)
            guard SSL_accept(ssl) == 1, SSL_read(ssl, &buffer, Int32(buffer.count)) > 0 else { return }
            connection.pause(milliseconds: delay)
            let answer = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
            guard SSL_write(ssl, answer, Int32(answer.count)) > 0, let upstream = connect(to: port) else { return }
            defer { close(upstream) }
            relay(connection, ssl, upstream)
        }
    }

    private static func relay(_ connection: ScriptedConnection, _ ssl: OpaquePointer, _ upstream: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            var ready = [connection.descriptor, upstream].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard SSL_pending(ssl) > 0 || poll(&ready, 2, -1) > 0 else { return }
            if SSL_pending(ssl) > 0 || ready[0].revents != 0 {
                let count = SSL_read(ssl, &buffer, Int32(buffer.count))
                guard count > 0, send(upstream, buffer, Int(count), Int32(MSG_NOSIGNAL)) == Int(count) else { return }
            }
            if ready[1].revents != 0 {
                // More of it.
                connection.pause(milliseconds: 30)
                let count = recv(upstream, &buffer, buffer.count, 0)
                guard count > 0, SSL_write(ssl, buffer, Int32(count)) > 0 else { return }
            }
        }
    }

    private static func connect(to port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code != 0 else { return descriptor }
        close(descriptor)
        return nil
    }
}
