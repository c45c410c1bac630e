// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import TestTLS

/// nginx with generated files, and the rude server, which nginx passes `/r/` on to: so that it speaks TLS and HTTP/2, too.
final class LoadServers: Sendable {
    enum Version: String, CaseIterable, Sendable { case http1, tls, http2 }

    /// The root that has signed nginx's certificate, as DER.
    let root: Data
    private let nginx: NginxServer
    private let rude: Int
    // Its end of file, when this process ends, ends the server's.
    private let lifeline: Pipe

    init() throws {
        (rude, lifeline) = try Self.startRudeServer()
        let authority = try TestCertificateAuthority()
        root = authority.certificate.der
        let port = rude
        nginx = try NginxServer.start(
            portCount: 3, files: try Self.files(), identity: try authority.issueForLocalhost()
        ) { layout in
            let locations = Self.locations(layout.root, rude: port)
            let tls = "ssl_certificate \(layout.certificate); ssl_certificate_key \(layout.key);"
            return """
                access_log off;
                types { application/octet-stream bin; application/json json; image/bmp bmp; text/plain txt; }
                keepalive_timeout 600s;
                # A client that is checked for races has hundreds of handshakes to make before it sends.
                client_header_timeout 600s;
                client_body_timeout 600s;
                send_timeout 600s;
                keepalive_requests 5000;
                http2_max_concurrent_streams 128;
                reset_timedout_connection on;
                proxy_buffering off;
                proxy_http_version 1.1;
                proxy_read_timeout 600s;
                proxy_next_upstream off;
                server { listen 127.0.0.1:\(layout.ports[0]) backlog=2048; \(locations) }
                server { listen 127.0.0.1:\(layout.ports[1]) ssl backlog=2048; \(tls) \(locations) }
                server { listen 127.0.0.1:\(layout.ports[2]) ssl http2 backlog=2048; \(tls) \(locations) }
                """
        }
    }

    private static func locations(_ root: String, rude: Int) -> String {
        """
        location /plain/ { alias \(root)/; add_header Cache-Control no-store; }
        location /fresh/ { alias \(root)/; add_header Cache-Control max-age=60; }
        location /valid/ { alias \(root)/; add_header Cache-Control no-cache; }
        location /slow/ { alias \(root)/; limit_rate 1500k; }
        location / { root \(root); }
        location /r/ { proxy_pass http://127.0.0.1:\(rude)/; }
        """
    }

    private static func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for seed in 0..<Content.seeds {
            for size in Set(Content.small + Content.long) {
                files["\(size)-\(seed).bin"] = Content.bytes(size, seed)
                files["\(size)-\(seed).json"] = try Content.json(size, seed)
                files["\(size)-\(seed).txt"] = Data(Content.text(size, seed).utf8)
            }
            files["\(seed).bmp"] = Content.bitmap(seed)
        }
        return files
    }

    private static func startRudeServer() throws -> (port: Int, lifeline: Pipe) {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--rude"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard
            let port = Int(
                line.trimmingCharacters(in: .whitespacesAndNewlines).replacingOccurrences(
                    of: "port ", with: ""))
        else { throw Unexpected("the rude server said: \(line)") }
        return (port, input)
    }

    /// The beginning of all URLs of nginx.
    func origin(_ version: Version) -> String {
        switch version {
        case .http1: "http://127.0.0.1:\(nginx.layout.ports[0])"
        case .tls: "https://127.0.0.1:\(nginx.layout.ports[1])"
        case .http2: "https://127.0.0.1:\(nginx.layout.ports[2])"
        }
    }

    /// The beginning of all URLs of the rude server: without TLS it is asked itself, so that its resets arrive.
    func rudeOrigin(_ version: Version) -> String {
        version == .http1 ? "http://127.0.0.1:\(rude)" : origin(version) + "/r"
    }
}
