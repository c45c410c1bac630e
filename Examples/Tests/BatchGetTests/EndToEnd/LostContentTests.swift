// SPDX-License-Identifier: MIT
import Foundation
import Testing

@Suite("What is lost without a validator", .timeLimit(.minutes(1))) struct LostContentTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    /// Each brings the plan in.
    static let options = [["--split", "2"], ["--limit-rate", "1G"]]

    private func run(_ server: ScriptedServer, _ options: [String]) async throws -> Child.Outcome {
        try await batchget(["-o", folder.path("out"), "--retry-wait", "0.01", server.url] + options, in: folder)
    }

    /// A response of which the connection is lost.
    private func cut(_ content: Data, of length: Int) -> Data {
        Data("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n".utf8) + content
    }

    private func whole(_ content: Data) -> Data {
        Data("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\nConnection: close\r\n\r\n".utf8) + content
    }

    private func chunked(_ content: Data) -> Data {
        Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n".utf8)
            + Data("\(String(content.count, radix: 16))\r\n".utf8) + content + Data("\r\n0\r\n\r\n".utf8)
    }

    @Test("The length that a lost response announced is not that of the next, which announces none", arguments: options)
    func longer(_ options: [String]) async throws {
        let other = content(1_500_000, seed: 2)
        let server = try ScriptedServer([cut(content(300_000), of: 1_000_000), chunked(other)])
        #expect(try await run(server, options).code == 0)
        #expect(folder.data("out/a") == other)
    }

    @Test("Nor where the file has only grown meanwhile", arguments: options)
    func grown(_ options: [String]) async throws {
        let grown = content(1_500_000)
        let server = try ScriptedServer([cut(grown.prefix(300_000), of: 1_000_000), chunked(grown)])
        #expect(try await run(server, options).code == 0)
        #expect(folder.data("out/a") == grown)
    }

    @Test("Nor where it is shorter", arguments: options)
    func shorter(_ options: [String]) async throws {
        let other = content(200_000, seed: 2)
        let server = try ScriptedServer([cut(content(300_000), of: 1_000_000), whole(other)])
        #expect(try await run(server, options).code == 0)
        #expect(folder.data("out/a") == other)
    }

    @Test("A server that never gets further is not asked for ever", arguments: options)
    func always(_ options: [String]) async throws {
        let server = try ScriptedServer([cut(content(300_000), of: 1_000_000)])
        #expect(try await run(server, options + ["--max-tries", "3"]).code == 1)
        // The first one got further than nothing; none of the others did.
        #expect(server.requests.count == 4)
        #expect(folder.data("out/a") == nil)
    }
}
