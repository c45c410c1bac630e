// SPDX-License-Identifier: MIT
package import Foundation

/// A server that answers whoever proves by NTLM to be a certain user, per connection. The protocol's other side is
/// pyspnego's.
package final class NTLMServer: Sendable {
    package let port: Int
    private let process: ServerProcess
    private let directory: TemporaryDirectory

    /// - Parameter user: With its domain, as in `DOMAIN:name`.
    package static func start(user: String, password: String) throws -> NTLMServer {
        try ServerProcess.retrying(ports: 1) { try NTLMServer(port: $0[0], user: user, password: password) }
    }

    private init(port: Int, user: String, password: String) throws {
        let directory = try TemporaryDirectory()
        let script = try directory.write(Self.script, to: "server.py")
        let users = try directory.write("\(user):\(password)\n", to: "users")
        process = try ServerProcess(
            ExternalProgram(path: HTTPBinServer.environmentPath + "/bin/python"), [script.path, "\(port)"],
            directory: directory, ports: [port], environment: ["NTLM_USER_FILE": users.path])
        self.directory = directory
        self.port = port
    }

    package func url(_ path: String = "/") -> URL { loopbackURL("http", port, path) }

    package func stop() { process.stop() }

    private static let script = """
        import base64, sys
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        import spnego

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            context = None
            user = None

            def answer(self, status, text, challenge=None):
                data = text.encode()
                self.send_response(status)
                if challenge is not None:
                    self.send_header("WWW-Authenticate", challenge)
                self.send_header("Content-Type", "text/plain")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self):
                content = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                scheme, _, token = self.headers.get("Authorization", "").partition(" ")
                if self.user is None or token:
                    self.user = None
                    if scheme.lower() != "ntlm" or not token:
                        return self.answer(401, "denied", "NTLM")
                    try:
                        if self.context is None:
                            self.context = spnego.server(protocol="ntlm")
                        reply = self.context.step(base64.b64decode(token))
                    except Exception:
                        self.context = None
                        return self.answer(401, "denied", "NTLM")
                    if reply:
                        return self.answer(401, "more", "NTLM " + base64.b64encode(reply).decode())
                    self.user = self.context.client_principal
                    self.context = None
                self.answer(200, "welcome " + self.user + content)

            do_POST = do_PUT = do_GET

            def log_message(self, *arguments):
                pass

        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
        """
}
