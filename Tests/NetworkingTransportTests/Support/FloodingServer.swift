// SPDX-License-Identifier: MIT
import COpenSSL
import Glibc
import NetworkingSupport
import TestServer
import TestTLS

/// A server with TLS that answers a request with things without content, as fast as the client takes them.
final class FloodingServer: Sendable {
    enum Flood: String, Sendable, CaseIterable {
        case priorities, windowUpdates, emptyData, unknownFrames, keyUpdates
    }

    let server: ScriptedServer
    /// How many bytes of it the clients have taken.
    let sent = Locked(0)
    /// A client has ended its connection.
    let hasEnded = Locked(false)

    init(_ flood: Flood) throws {
        let context = try TLSServerContext(
            TLSSettings(FrontServer.identity.get(), protocols: flood == .keyUpdates ? .http1 : .http2))
        let (sent, hasEnded) = (sent, hasEnded)
        server = ScriptedServer { connection in
            guard let ssl = try? context.makeConnection(on: connection.descriptor) else { return }
            defer { SSL_free(ssl) }
            var request = [UInt8](repeating: 0, count: 16 * 1024)
            guard SSL_accept(ssl) == 1, SSL_read(ssl, &request, Int32(request.count)) > 0 else { return }
            let write: ([UInt8]) -> Bool =
                flood == .keyUpdates
                ? { send(connection.descriptor, $0, $0.count, Int32(MSG_NOSIGNAL)) == $0.count }
                : { SSL_write(ssl, $0, Int32($0.count)) > 0 }
            let frames = Self.frames(flood)
            guard flood == .keyUpdates || write(HTTP2Frame.settings().bytes + HTTP2Frame.ok(1).bytes) else { return }
            while true {
                let bytes = flood == .keyUpdates ? Self.keyUpdates(ssl) : frames
                guard write(bytes) else { return hasEnded.withLock { $0 = true } }
                sent.withLock { $0 += bytes.count }
            }
        }
    }

    var url: String { "https://127.0.0.1:\(server.port)" }

    private static func frames(_ flood: Flood) -> [UInt8] {
        var frame = HTTP2Frame(.data, stream: 1)
        switch flood {
        case .priorities: frame = HTTP2Frame(.priority, stream: 3, HTTP2Frame.big(UInt32(1)) + [7])
        case .windowUpdates: frame = HTTP2Frame(.windowUpdate, stream: 0, HTTP2Frame.big(UInt32(1)))
        case .emptyData, .keyUpdates: break
        case .unknownFrames: frame.kind = 0x42
        }
        return Array(repeatElement(frame.bytes, count: 1000).joined())
    }

    /// A megabyte of them, because making one takes as long as reading one.
    private static func keyUpdates(_ ssl: OpaquePointer) -> [UInt8] {
        guard let output = SSL_get_wbio(ssl), BIO_up_ref(output) == 1, let memory = BIO_new(BIO_s_mem()) else {
            return []
        }
        SSL_set0_wbio(ssl, memory)
        defer { SSL_set0_wbio(ssl, output) }
        for _ in 0..<40_000 {
            guard SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1, SSL_do_handshake(ssl) == 1 else { break }
        }
        var bytes: UnsafeMutablePointer<CChar>?
        let count = ONSSL_BIO_get_mem_data(memory, &bytes)
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
