// SPDX-License-Identifier: MIT
internal import Foundation

/// `stunnel`, which ends the TLS of PostgreSQL's protocol in front of a server's socket.
package final class StunnelServer: Sendable {
    /// Whether it is installed.
    package static var isInstalled: Bool { (try? ExternalProgram("stunnel4")) != nil }

    package let port: Int
    private let process: ServerProcess

    /// Starts it on a free port, with a certificate and its key, in files of the PEM format.
    package static func start(to socket: String, certificate: String, key: String) throws -> StunnelServer {
        try ServerProcess.retrying(ports: 1) { try StunnelServer(port: $0[0], socket, certificate, key) }
    }

    private init(port: Int, _ socket: String, _ certificate: String, _ key: String) throws {
        let directory = try TemporaryDirectory()
        let settings = try directory.write(
            """
            foreground = yes
            pid =
            [postgres]
            accept = 127.0.0.1:\(port)
            connect = \(socket)
            protocol = pgsql
            cert = \(certificate)
            key = \(key)
            """, to: "settings.conf")
        process = try ServerProcess(
            ExternalProgram("stunnel4"), [settings.path], directory: directory, ports: [port])
        self.port = port
    }

    package func stop() { process.stop() }
}
