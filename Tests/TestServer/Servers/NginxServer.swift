// SPDX-License-Identifier: MIT
package import Foundation
internal import Glibc
package import TestTLS

/// nginx with a configuration of the test's own.
package final class NginxServer: Sendable {
    /// Where things are: for the text of the configuration.
    package struct Layout: Sendable {
        package let ports: [Int]
        /// Files in it are served by configurations that say `root \(layout.root)`.
        package let root: String
        /// Chain and key of the identity; empty without one.
        package let certificate: String
        package let key: String
    }

    package let layout: Layout
    private let process: ServerProcess
    private let directory: TemporaryDirectory

    /// Starts nginx.
    ///
    /// - Parameters:
    ///   - portCount: How many free ports `configuration` uses.
    ///   - files: Content of the root folder.
    ///   - configuration: What stands inside `http { … }`.
    package static func start(
        portCount: Int, files: [String: Data] = [:], identity: TestIdentity? = nil,
        configuration: (Layout) -> String
    ) throws -> NginxServer {
        try ServerProcess.retrying(ports: portCount) {
            try NginxServer(ports: $0, files: files, identity: identity, configuration: configuration)
        }
    }

    /// Serves files: port 0 without TLS and, given an identity, port 1 with TLS and HTTP/2.
    package static func serving(_ files: [String: Data], identity: TestIdentity? = nil) throws -> NginxServer {
        try start(portCount: identity == nil ? 1 : 2, files: files, identity: identity) { layout in
            let plain = "server { listen 127.0.0.1:\(layout.ports[0]); root \(layout.root); }\n"
            guard identity != nil else { return plain }
            return plain + """
                server {
                    listen 127.0.0.1:\(layout.ports[1]) ssl http2; root \(layout.root);
                    ssl_certificate \(layout.certificate); ssl_certificate_key \(layout.key);
                }
                """
        }
    }

    private init(
        ports: [Int], files: [String: Data], identity: TestIdentity?, configuration: (Layout) -> String
    ) throws {
        let directory = try TemporaryDirectory()
        let root = directory.file("root")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for (name, content) in files {
            let file = root.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: file)
        }
        let identityFiles = try identity?.write(to: directory)
        layout = Layout(
            ports: ports, root: root.path, certificate: identityFiles?.chain.path ?? "",
            key: identityFiles?.key.path ?? "")
        try directory.write(Self.frame(configuration(layout), directory.path), to: "nginx.conf")
        process = try ServerProcess(
            ExternalProgram("nginx"),
            ["-p", directory.path, "-c", directory.file("nginx.conf").path, "-e", directory.file("error.log").path],
            directory: directory, ports: ports)
        self.directory = directory
    }

    private static func frame(_ http: String, _ prefix: String) -> String {
        """
        daemon off;
        worker_processes 1;
        \(getuid() == 0 ? "user root;" : "")
        pid \(prefix)/nginx.pid;
        events { worker_connections 2048; }
        http {
            access_log \(prefix)/access.log;
            default_type application/octet-stream;
            client_max_body_size 0;
            client_body_temp_path \(prefix)/client; proxy_temp_path \(prefix)/proxy;
            fastcgi_temp_path \(prefix)/fastcgi; uwsgi_temp_path \(prefix)/uwsgi; scgi_temp_path \(prefix)/scgi;
            \(http)
        }
        """
    }

    package func url(_ path: String = "/", port index: Int = 0, scheme: String? = nil) -> URL {
        loopbackURL(scheme ?? (index == 0 ? "http" : "https"), layout.ports[index], path)
    }

    /// One line per finished request, in nginx's `combined` format.
    package var accessLog: String {
        (try? String(contentsOf: directory.file("access.log"), encoding: .utf8)) ?? ""
    }

    package func stop() { process.stop() }
}
