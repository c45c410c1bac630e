// SPDX-License-Identifier: MIT
package import Foundation
internal import Glibc
package import TestTLS

/// nghttpx, nghttp2's own proxy: HTTP/2 in front of a server of HTTP/1.1.
package final class NghttpxServer: Sendable {
    /// HTTP/2 over TLS, chosen by ALPN.
    package let url: URL
    /// HTTP/2 without TLS, which a client has to know of.
    package let plainURL: URL
    private let process: ServerProcess
    private let directory: TemporaryDirectory

    /// Starts nghttpx.
    ///
    /// - Parameter backendPort: The port of the server at 127.0.0.1 that answers.
    package static func start(identity: TestIdentity, backendPort: Int) throws -> NghttpxServer {
        try ServerProcess.retrying(ports: 2) { try NghttpxServer(ports: $0, identity, backendPort) }
    }

    private init(ports: [Int], _ identity: TestIdentity, _ backendPort: Int) throws {
        directory = try TemporaryDirectory()
        let files = try identity.write(to: directory)
        try directory.write("", to: "nghttpx.conf")
        process = try ServerProcess(
            ExternalProgram("nghttpx"),
            [
                "--conf=\(directory.file("nghttpx.conf").path)", "--workers=1", "--no-ocsp",
                "--frontend=127.0.0.1,\(ports[0])", "--frontend=127.0.0.1,\(ports[1]);no-tls",
                "--backend=127.0.0.1,\(backendPort)", "--accesslog-file=\(directory.file("access.log").path)",
                "--accesslog-format=$remote_port $alpn $request", "--errorlog-file=\(directory.file("error.log").path)",
                files.key.path, files.chain.path,
            ], directory: directory, ports: ports)
        guard let url = URL(string: "https://127.0.0.1:\(ports[0])/"),
            let plainURL = URL(string: "http://127.0.0.1:\(ports[1])/")
        else { throw CocoaError(.formatting) }
        self.url = url
        self.plainURL = plainURL
    }

    /// The ports of the clients' ends: one for each connection that carried a request, and the protocol spoken there.
    package var connections: Set<String> {
        get throws {
            let log = try String(contentsOf: directory.file("access.log"), encoding: .utf8)
            return Set(log.split(separator: "\n").map { $0.split(separator: " ").prefix(2).joined(separator: " ") })
        }
    }

    /// Takes no connections any more, says GOAWAY on those there are, and ends when their streams have ended.
    package func endGracefully() { process.signal(SIGQUIT) }

    package func stop() { process.stop() }
}
