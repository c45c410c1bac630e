// SPDX-License-Identifier: MIT
package import Foundation
package import TestTLS

/// `openssl s_server`, which answers every GET with a page about the TLS session.
package final class OpenSSLServer: Sendable {
    package let port: Int
    private let process: ServerProcess
    private let directory: TemporaryDirectory

    /// Starts it. `options` go to the command as they are, for instance `["-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA"]`.
    package static func start(_ identity: TestIdentity, options: [String] = []) throws -> OpenSSLServer {
        try ServerProcess.retrying(ports: 1) { try OpenSSLServer(port: $0[0], identity, options) }
    }

    private init(port: Int, _ identity: TestIdentity, _ options: [String]) throws {
        let directory = try TemporaryDirectory()
        let leaf = try directory.write(identity.certificate.pem, to: "leaf.pem")
        let rest = try directory.write(identity.chain.dropFirst().map(\.pem).joined(), to: "intermediates.pem")
        let key = try directory.write(identity.key.pem, to: "leaf.key")
        var arguments = ["s_server", "-accept", "127.0.0.1:\(port)", "-cert", leaf.path, "-key", key.path, "-www"]
        if identity.chain.count > 1 { arguments += ["-cert_chain", rest.path] }
        process = try ServerProcess(
            ExternalProgram("openssl"), arguments + options, directory: directory, ports: [port])
        self.directory = directory
        self.port = port
    }

    package func url(_ path: String = "/") -> URL { loopbackURL("https", port, path) }

    package func stop() { process.stop() }
}
