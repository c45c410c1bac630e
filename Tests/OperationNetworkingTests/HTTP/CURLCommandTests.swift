// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore

@Suite("curl commands", .timeLimit(.minutes(1))) struct CURLCommandTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .ok("ok") }
    }

    /// The request that a shell makes of a command.
    private func run(_ command: String) async throws -> RecordedRequest {
        let status = await blocking { () -> Int32 in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", command + " --silent --output /dev/null"]
            guard (try? process.run()) != nil else { return -1 }
            process.waitUntilExit()
            return process.terminationStatus
        }
        #expect(status == 0, "\(command)")
        return try await server.nextRequest()
    }

    @Test(
        "The command makes the same request as the operation",
        arguments: [
            ("GET", nil), ("GET", Data("{}".utf8)), ("HEAD", nil), ("DELETE", nil),
            ("POST", Data("a=b&c='d' $HOME `x` \\ é\n".utf8)),
            ("POST", Data("@/etc/hostname".utf8)), ("PUT", Data((0...255).map { UInt8($0) })), ("PATCH", Data()),
        ])
    func same(method: String, body: Data?) async throws {
        for headers in [[:], ["X-Quote": "it's \"$HOME\"", "X-Empty": "", "Content-Type": "text/x", "Accept": "a/b"]] {
            let operation = HTTPRequestOperation(
                server.url("/a/../b%20c?q=[1]&x='$(id)'"), method: method, body: body, headers: headers)
            operation.cookieStorage = nil
            _ = await operation.outcome()
            let own = try await server.nextRequest()
            let theirs = try await run(operation.cURLCommand(maskingSecrets: false))
            #expect(theirs.method == own.method && theirs.target == own.target && theirs.body == own.body)
            func sorted(_ request: RecordedRequest) -> [String] {
                request.headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
            }
            #expect(sorted(theirs) == sorted(own))
        }
    }

    @Test("Secrets are masked unless they are asked for")
    func secrets() throws {
        let url = try #require(URL(string: "http://user:geheim1@example.com/"))
        let operation = HTTPRequestOperation(
            url, headers: ["authorization": "Bearer geheim2", "Cookie": "a=geheim3", "Proxy-Authorization": "geheim4"])
        operation.credential = URLCredential(user: "geheim5", password: "geheim6", persistence: .none)
        let masked = operation.cURLCommand()
        #expect(!masked.contains("geheim"))
        #expect(masked.contains("Authorization: ***"))
        let open = operation.cURLCommand(maskingSecrets: false)
        for number in 1...6 { #expect(open.contains("geheim\(number)")) }
    }
}
