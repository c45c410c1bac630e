// SPDX-License-Identifier: MIT

/// pproxy as a SOCKS 5 proxy that demands a user name and a password.
package final class SOCKSServer: Sendable {
    package let port: Int
    private let process: ServerProcess
    private let directory: TemporaryDirectory

    package static func start(user: String, password: String) throws -> SOCKSServer {
        try ServerProcess.retrying(ports: 1) { try SOCKSServer(port: $0[0], user: user, password: password) }
    }

    private init(port: Int, user: String, password: String) throws {
        let directory = try TemporaryDirectory()
        process = try ServerProcess(
            ExternalProgram(path: HTTPBinServer.environmentPath + "/bin/python"),
            // An address that was let in is not let in again without its password.
            ["-u", "-m", "pproxy", "-l", "socks5://127.0.0.1:\(port)#\(user):\(password)", "-v", "--auth", "0"],
            directory: directory, ports: [port])
        self.directory = directory
        self.port = port
    }

    /// One line per connection that was passed on.
    package var log: String { process.log }

    package func stop() { process.stop() }
}
