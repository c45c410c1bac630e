// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import TestTLS

/// squid as a forward proxy, with CONNECT, that caches nothing. Speaks plain HTTP, and TLS on another port if it has an
/// identity.
package final class SquidServer: Sendable {
    package let port: Int
    /// Where it speaks TLS.
    package let securePort: Int
    private let process: ServerProcess
    private let directory: TemporaryDirectory

    /// How squid asks who its clients are.
    package enum Authentication: String, Sendable, CaseIterable {
        case basic, digest
        /// Takes whoever can speak it.
        case ntlm
    }

    /// Starts squid. With a user name and a password it demands them.
    package static func start(
        user: String? = nil, password: String = "", _ authentication: Authentication = .basic,
        identity: TestIdentity? = nil
    ) throws -> SquidServer {
        try ServerProcess.retrying(ports: 2) {
            try SquidServer(
                ports: $0, access: { try access(user, password, authentication, $0) }, identity: identity)
        }
    }

    private static func access(
        _ user: String?, _ password: String, _ authentication: Authentication, _ directory: TemporaryDirectory
    ) throws -> String {
        guard let user else { return "http_access allow all" }
        let program: String
        switch authentication {
        case .basic:
            let hash = try ExternalProgram("openssl").run(["passwd", "-apr1", password])
            let file = try directory.write(Data("\(user):".utf8) + hash, to: "passwords")
            program = "basic_ncsa_auth \(file.path)"
        case .digest:
            let file = try directory.write("\(user):\(password)\n", to: "passwords")
            program = "digest_file_auth \(file.path)"
        case .ntlm:
            program = "ntlm_fake_auth"
        }
        let name = authentication.rawValue
        return """
            auth_param \(name) program /usr/lib/squid/\(program)
            auth_param \(name) children 2
            \(authentication == .ntlm ? "" : "auth_param \(name) realm tests")
            acl known proxy_auth REQUIRED
            http_access allow known
            http_access deny all
            """
    }

    private init(
        ports: [Int], access: (TemporaryDirectory) throws -> String, identity: TestIdentity?
    ) throws {
        let directory = try TemporaryDirectory()
        // Started as root, squid becomes the user "proxy", who has to write its logs here.
        chmod(directory.path, 0o777)
        let access = try access(directory)
        var secure = ""
        if let identity {
            let chain = try directory.write(identity.chainPEM, to: "chain.pem")
            let key = try directory.write(identity.key.pem, to: "key.pem")
            secure = "https_port 127.0.0.1:\(ports[1]) tls-cert=\(chain.path) tls-key=\(key.path)"
        }
        let configuration = """
            http_port 127.0.0.1:\(ports[0])
            \(secure)
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
            ExternalProgram("squid"), ["-N", "-f", file.path], directory: directory,
            ports: identity == nil ? [ports[0]] : ports)
        self.directory = directory
        port = ports[0]
        securePort = ports[1]
    }

    /// One line per finished request or tunnel, in squid's own format.
    package var accessLog: String {
        (try? String(contentsOf: directory.file("access.log"), encoding: .utf8)) ?? ""
    }

    package func stop() { process.stop() }
}
