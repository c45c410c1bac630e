// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// dante as a SOCKS 4 and 5 proxy to addresses of this machine, without authentication.
package final class DanteServer: Sendable {
    package let port: Int
    private let process: ServerProcess
    private let directory: TemporaryDirectory

    package static func start() throws -> DanteServer {
        try ServerProcess.retrying(ports: 1) { try DanteServer(port: $0[0]) }
    }

    private init(port: Int) throws {
        let directory = try TemporaryDirectory()
        let configuration = """
            logoutput: \(directory.path)/dante.log
            internal: 127.0.0.1 port = \(port)
            external: 127.0.0.1
            clientmethod: none
            socksmethod: none
            \(getuid() == 0 ? "user.privileged: root\nuser.unprivileged: nobody" : "")
            client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }
            socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 log: connect }
            """
        let file = try directory.write(configuration + "\n", to: "danted.conf")
        process = try ServerProcess(
            ExternalProgram("danted"), ["-f", file.path, "-p", directory.file("pid").path, "-N", "1"],
            directory: directory, ports: [port])
        self.directory = directory
        self.port = port
    }

    /// One line per connection that was passed on.
    package var log: String {
        (try? String(contentsOf: directory.file("dante.log"), encoding: .utf8)) ?? ""
    }

    package func stop() { process.stop() }
}
