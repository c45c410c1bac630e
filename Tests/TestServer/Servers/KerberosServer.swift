// SPDX-License-Identifier: MIT
package import Foundation
internal import Glibc

/// A Kerberos realm of its own with one user, and a web server in it that demands the user's ticket (Negotiate).
///
/// While it exists the process has the user's ticket: the environment names the realm and the ticket.
package final class KerberosServer: Sendable {
    package let port: Int
    private let processes: [ServerProcess]
    private let directories: [TemporaryDirectory]
    private static let variables = ["KRB5_CONFIG", "KRB5CCNAME"]

    package static func start(user: String) throws -> KerberosServer {
        try ServerProcess.retrying(ports: 2) { try KerberosServer(ports: $0, user: user) }
    }

    private init(ports: [Int], user: String) throws {
        port = ports[1]
        let realm = try TemporaryDirectory()
        let client = """
            [libdefaults]
            default_realm = TEST.REALM
            dns_lookup_kdc = false
            dns_lookup_realm = false
            dns_canonicalize_hostname = false
            rdns = false
            udp_preference_limit = 1
            [realms]
            TEST.REALM = {
                kdc = 127.0.0.1:\(ports[0])
            }
            [domain_realm]
            localhost = TEST.REALM
            """
        let authority = """
            [kdcdefaults]
            kdc_listen = 127.0.0.1:\(ports[0])
            kdc_tcp_listen = 127.0.0.1:\(ports[0])
            [realms]
            TEST.REALM = {
                database_name = \(realm.path)/principal
                key_stash_file = \(realm.path)/stash
            }
            [logging]
            kdc = FILE:\(realm.path)/kdc.log
            """
        let configuration = try realm.write(client + "\n", to: "krb5.conf").path
        let profile = try realm.write(authority + "\n", to: "kdc.conf").path
        let environment = [
            "KRB5_CONFIG": configuration, "KRB5_KDC_PROFILE": profile, "KRB5_KTNAME": "\(realm.path)/keytab",
        ]
        for (name, value) in environment where name != "KRB5_KTNAME" { setenv(name, value, 1) }
        defer { unsetenv("KRB5_KDC_PROFILE") }
        try ExternalProgram("kdb5_util").run(["create", "-s", "-P", "master", "-r", "TEST.REALM"])
        let administrator = try ExternalProgram("kadmin.local")
        try administrator.run(["-q", "addprinc -randkey \(user)"])
        try administrator.run(["-q", "addprinc -randkey HTTP/localhost"])
        try administrator.run(["-q", "ktadd -k \(realm.path)/keytab HTTP/localhost"])
        try administrator.run(["-q", "ktadd -k \(realm.path)/user.keytab \(user)"])
        let kdcDirectory = try TemporaryDirectory()
        let webDirectory = try TemporaryDirectory()
        let kdc = try ServerProcess(
            ExternalProgram("krb5kdc"), ["-n"], directory: kdcDirectory, ports: [ports[0]], environment: environment)
        setenv("KRB5CCNAME", "FILE:\(realm.path)/tickets", 1)
        try ExternalProgram("kinit").run(["-k", "-t", "\(realm.path)/user.keytab", user])
        let script = try webDirectory.write(Self.script, to: "server.py")
        let web = try ServerProcess(
            ExternalProgram(path: "/usr/bin/python3"), [script.path, "\(ports[1])"], directory: webDirectory,
            ports: [ports[1]], environment: environment)
        processes = [kdc, web]
        directories = [realm, kdcDirectory, webDirectory]
    }

    deinit { for name in Self.variables { unsetenv(name) } }

    /// By name: tickets are for names.
    package func url(_ path: String = "/") -> URL? { URL(string: "http://localhost:\(port)\(path)") }

    private static let script = """
        import base64, sys, gssapi
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                content = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                scheme, _, token = self.headers.get("Authorization", "").partition(" ")
                name = reply = None
                if scheme.lower() == "negotiate" and token:
                    try:
                        context = gssapi.SecurityContext(usage="accept")
                        reply = context.step(base64.b64decode(token))
                        name = str(context.initiator_name)
                    except gssapi.exceptions.GSSError:
                        pass
                body = ("welcome " + name + content if name else "denied").encode()
                self.send_response(200 if name else 401)
                suffix = " " + base64.b64encode(reply).decode() if reply else ""
                self.send_header("WWW-Authenticate", "Negotiate" + suffix)
                self.send_header("Content-Type", "text/plain")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *arguments):
                pass

        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
        """
}
