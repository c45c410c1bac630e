// SPDX-License-Identifier: MIT
import Foundation
import TestServer

@testable import NetworkingTransport

/// nginx with TLS in front of a scripted server, and a relay in front of that: a server whose connections do what a test
/// says, and whose requests, too.
final class FrontServer: Sendable {
    static let identity = Result { try TestCertificateAuthority(name: "Front Root").issueForLocalhost() }

    let relay: Relay
    private let nginx: NginxServer

    /// - Parameter backend: Answers what is asked for below `/script`. `/file` is a file.
    init(http2: Bool, backend: ScriptedServer? = nil, options: String = "") throws {
        let files = ["file": Data("content".utf8)]
        nginx = try NginxServer.start(portCount: 1, files: files, identity: Self.identity.get()) { layout in
            let script = backend.map { "location /script { proxy_pass \($0.url); proxy_buffering off; }" } ?? ""
            return """
                server {
                    listen 127.0.0.1:\(layout.ports[0]) ssl \(http2 ? "http2" : ""); root \(layout.root);
                    ssl_certificate \(layout.certificate); ssl_certificate_key \(layout.key);
                    \(options)
                    \(script)
                }
                """
        }
        relay = Relay(to: nginx.layout.ports[0])
    }

    func request(_ path: String = "/file", idleTimeout: TimeInterval = 20) -> TransferRequest {
        var request = TransferRequest("https://127.0.0.1:\(relay.port)\(path)")
        request.idleTimeout = idleTimeout
        return request
    }

    func stop() {
        relay.stop()
        nginx.stop()
    }
}
