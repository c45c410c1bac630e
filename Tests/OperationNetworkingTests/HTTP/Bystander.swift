// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import OperationNetworking
import TestServer

/// Another host, with requests to it one after the other while something hostile is under way: what they have to wait.
final class Bystander: Sendable {
    private let server: TestServer
    private let isOver = Locked(false)

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .ok("fine") }
    }

    /// What `work` gives, and the longest that a request to the other host took meanwhile: a stalled network thread makes
    /// it as long as the stall.
    func longestWait<Result: Sendable>(
        during work: @Sendable () async throws -> Result
    ) async rethrows -> (Result, Duration) {
        let first = await request()
        precondition(first < .seconds(10))
        async let longest = requests()
        let result: Result
        do {
            result = try await work()
        } catch {
            isOver.withLock { $0 = true }
            _ = await longest
            throw error
        }
        isOver.withLock { $0 = true }
        return (result, await longest)
    }

    private func requests() async -> Duration {
        var longest = Duration.zero
        while !isOver.withLock({ $0 }) { longest = max(longest, await request()) }
        return longest
    }

    private func request() async -> Duration {
        let start = ContinuousClock.now
        let outcome = await HTTPRequestOperation(server.url("/")).outcome()
        return outcome.text == "fine" ? ContinuousClock.now - start : .seconds(1000)
    }
}

/// Letters that Swift sorts: two kinds of combining marks in turns, as bytes.
enum CombiningMarks {
    static func text(bytes count: Int) -> String {
        String(repeating: "\u{301}\u{316}", count: count / 4)
    }
}
