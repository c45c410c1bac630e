internal import Foundation
internal import Glibc

/// squid as a forward proxy, with CONNECT, that caches nothing.
package final class SquidServer: Sendable {
    package let port: Int
    private let process: ServerProcess
    private let directory: TemporaryDirectory

    /// Starts squid. With a user name and a password it demands them (Basic).
    package static func start(user: String? = nil, password: String = "") throws -> SquidServer {
        try ServerProcess.retrying(ports: 1) { try SquidServer(port: $0[0], user: user, password: password) }
    }

    private init(port: Int, user: String?, password: String) throws {
        let directory = try TemporaryDirectory()
        // Started as root, squid becomes the user "proxy", who has to write its logs here.
        chmod(directory.path, 0o777)
        var access = "http_access allow all"
        if let user {
            let hash = try ExternalProgram("openssl").run(["passwd", "-apr1", password])
            let file = try directory.write(Data("\(user):".utf8) + hash, to: "passwords")
            access = """
                auth_param basic program /usr/lib/squid/basic_ncsa_auth \(file.path)
                auth_param basic children 2
                auth_param basic realm tests
                acl known proxy_auth REQUIRED
                http_access allow known
                http_access deny all
                """
        }
        let configuration = """
            http_port 127.0.0.1:\(port)
            \(access)
            cache deny all
            cache_mem 8 MB
            access_log stdio:\(directory.path)/access.log
            cache_log \(directory.path)/cache.log
            cache_store_log none
            pid_filename none
            coredump_dir \(directory.path)
            buffered_logs off
            max_filedescriptors 4096
            pinger_enable off
            shutdown_lifetime 0 seconds
            visible_hostname proxy.test
            """
        let file = try directory.write(configuration + "\n", to: "squid.conf")
        process = try ServerProcess(
            ExternalProgram("squid"), ["-N", "-f", file.path], directory: directory, ports: [port])
        self.directory = directory
        self.port = port
    }

    /// One line per finished request or tunnel, in squid's own format.
    package var accessLog: String {
        (try? String(contentsOf: directory.file("access.log"), encoding: .utf8)) ?? ""
    }

    package func stop() { process.stop() }
}
