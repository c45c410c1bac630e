// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking
import TestServer
import Testing

/// What a server sends beyond the end of a response.
@Suite("Content in excess", .timeLimit(.minutes(1))) struct ExcessTests {
    private static let forged = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

    @Test(
        "What follows the end of a response in its last TLS record is not the answer to the next request",
        arguments: [
            "Content-Length: 2\r\n\r\n|a|b", "Transfer-Encoding: chunked\r\n\r\n|1\r\na\r\n|1\r\nb\r\n0\r\n\r\n",
        ])
    func record(parts: String) async throws {
        let pieces = parts.split(separator: "|").map(String.init)
        let root = try TestCertificateAuthority()
        let server = try TestServer(tls: TLSSettings(root.issueForLocalhost()))
        let isRead = Gate()
        server.respond(
            to: "/first",
            .script([
                .send("HTTP/1.1 200 OK\r\n" + pieces[0]), .send(pieces[1]), .gate(isRead),
                .send(pieces[2] + Self.forged),
            ]))
        server.respond(to: "/second", .ok("second"))
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [root.certificate.der]
        let operations = ["/first", "/second"].map { path in
            let operation = HTTPRequestOperation.make(server.url(path, host: "localhost"))
            operation.securityPolicy = policy
            return operation
        }
        var content = Data()
        for try await chunk in operations[0].chunks {
            content += chunk
            isRead.open()
        }
        #expect(content == Data("ab".utf8))
        await operations[1].run()
        #expect(operations[1].responseString == "second", "\(String(describing: operations[1].error))")
    }
}
