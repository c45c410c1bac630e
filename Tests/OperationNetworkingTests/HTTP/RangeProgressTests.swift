// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// Ranges that follow one another because each ends before the representation does.
@Suite("Follow-up ranges", .timeLimit(.minutes(2))) struct RangeProgressTests {
    private static let content = Data.random(1 << 20)

    /// Sends so much of the content first, and then `count` bytes of each range.
    private static func respond(
        _ server: TestServer, _ content: Data, first: Int = 1, count: @escaping @Sendable (_ missing: Int) -> Int
    ) {
        server.respond(to: "/file") { request in
            guard let range = request["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
                return ScriptedResponse(headers: [("ETag", "\"a\"")], body: .data(content))
                    .ending(.closeUnannounced, afterBodyBytes: first)
            }
            let part = content.dropFirst(start).prefix(max(1, count(content.count - start)))
            return ScriptedResponse(
                status: 206,
                headers: [
                    ("Content-Range", "bytes \(start)-\(start + part.count - 1)/\(content.count)"), ("ETag", "\"a\""),
                ], body: .data(part))
        }
    }

    private static func operation(_ server: TestServer, attempts: Int = 2) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(server.url("/file"))
        operation.retryPolicy = RetryPolicy(maximumAttempts: attempts, backoff: .none)
        return operation
    }

    @Test("A server that sends a byte at a time is not asked twenty thousand times", arguments: [1, 40, 1000])
    func bytes(size: Int) async throws {
        let server = try TestServer()
        let content = Self.content.prefix(size == 1000 ? 1 << 20 : 20_000)
        Self.respond(server, content) { _ in size }
        let operation = Self.operation(server, attempts: 3)
        let outcome = await operation.outcome()
        #expect(outcome.urlError?.code == .networkConnectionLost, "\(outcome.error as Any)")
        #expect(outcome.urlError?.localizedDescription.contains("pieces too small") == true)
        // Each attempt has its twenty.
        #expect(operation.metrics?.attempts.count == 3 && server.requests.count <= 3 * (RangeProgress.patience + 1))
    }

    @Test("One that sends so much at most, or a share of what is missing, is", arguments: [64 << 10, 0, -1])
    func pieces(size: Int) async throws {
        let server = try TestServer()
        // 0: a tenth of what is missing. -1: twenty bytes that end somewhere, twenty times.
        let content = Self.content.prefix(size < 0 ? 400 : 1 << 20)
        Self.respond(server, content) { missing in size > 0 ? size : size == 0 ? missing / 10 : 20 }
        let outcome = await Self.operation(server).outcome()
        #expect(outcome.error == nil && outcome.data == content, "\(outcome.error as Any)")
    }

    @Test("What is good makes up for what is not, and no more")
    func progress() {
        /// Whether more is asked for after each of these ranges.
        func goesOn(_ ranges: [(count: Int64, missing: Int64?)]) -> [Bool] {
            var progress = RangeProgress()
            return ranges.map { progress.note($0.count, of: $0.missing) }
        }
        let inTurns = (0..<1000).flatMap { _ in [(1, nil), (65_536, 1 << 40)] as [(Int64, Int64?)] }
        #expect(goesOn(inTurns).allSatisfy { $0 })
        #expect(goesOn(Array(repeating: (1, 16), count: 1000)).allSatisfy { $0 })
        #expect(goesOn(Array(repeating: (100, 1600), count: 1000)).allSatisfy { $0 })
        let small = goesOn(Array(repeating: (1, 1000), count: 30))
        #expect(small == (0..<30).map { $0 < RangeProgress.patience })
    }

    @Test("totalTimeout holds to a tenth of a second, however many requests there are")
    func totalTime() async throws {
        let server = try TestServer()
        let piece = Data(count: 64 << 10)
        server.respond(to: "/file") { request in
            guard let range = request["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
                return ScriptedResponse(headers: [("ETag", "\"a\"")], body: .pattern(count: 1 << 40))
                    .ending(.closeUnannounced, afterBodyBytes: 1)
            }
            return ScriptedResponse(
                status: 206,
                headers: [
                    ("Content-Range", "bytes \(start)-\(start + piece.count - 1)/\(1 << 40)"), ("ETag", "\"a\""),
                ], body: .data(piece))
        }
        let operation = Self.operation(server)
        operation.outputStream = OutputStream(toFileAtPath: "/dev/null", append: false)
        operation.totalTimeout = 3
        let start = ContinuousClock.now
        let outcome = await operation.outcome()
        let elapsed = ContinuousClock.now - start
        #expect(outcome.urlError?.code == .timedOut && server.requests.count > 50)
        #expect(elapsed >= .seconds(2.95) && elapsed < .seconds(3 + 0.1 * Patience.factor), "\(elapsed)")
    }
}
