// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Glibc
import Testing

@Suite("A private certificate authority", .timeLimit(.minutes(1))) struct PrivateAuthorityTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    @Test("--ca trusts it, for its names only; without it nothing is asked for")
    func privateAuthority() async throws {
        try await makeCertificates()
        try folder.write(content(5000), to: "www/file")
        let server = try TLSFileServer(folder.url.appendingPathComponent("www"), certificates: folder)
        defer { server.stop() }
        let port = try await server.port()

        let list = try folder.write("https://127.0.0.1:\(port)/file", to: "list.txt")
        let arguments = ["-o", folder.path("out"), list]
        let untrusted = try await batchget(arguments, in: folder)
        #expect(untrusted.code == 1)
        #expect(untrusted.errorLines.first?.hasPrefix("failed file ") == true)
        #expect(folder.data("out/file") == nil)

        let wrongName = try await batchget(
            ["-o", folder.path("out"), "--ca", folder.path("ca.pem")], input: "https://127.0.0.2:\(port)/file",
            in: folder)
        #expect(wrongName.code == 1)

        let trusted = try await batchget(arguments + ["--ca", folder.path("ca.pem")], in: folder)
        #expect(trusted.code == 0)
        #expect(folder.data("out/file") == content(5000))
    }

    /// A root, and a certificate for 127.0.0.1 that it signed.
    private func makeCertificates() async throws {
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        try await run(
            ["req", "-x509"] + key + [
                "-subj", "/CN=Test root", "-keyout", folder.path("ca.key"), "-out", folder.path("ca.pem"),
                "-addext", "keyUsage=critical,keyCertSign",
            ])
        try await run(
            ["req", "-x509"] + key + [
                "-subj", "/CN=127.0.0.1", "-CA", folder.path("ca.pem"), "-CAkey", folder.path("ca.key"),
                "-keyout", folder.path("server.key"), "-out", folder.path("server.pem"),
                "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE",
            ])
    }

    private func run(_ arguments: [String]) async throws {
        let result = try await runTool("openssl", arguments)
        guard result.status == 0 else { throw TestFailure("openssl \(arguments): \(result.errors)") }
    }
}
