// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import OperationNetworking
import TestServer

/// A request after another to one host, whatever goes on with other hosts.
final class Neighbour: Sendable {
    private struct State {
        var isOver = false
        var slowest: Duration = .zero
    }
    private let server: TestServer
    private let state = Locked(State())

    init() throws {
        server = try TestServer(addresses: ["127.0.0.2"])
        server.respond(to: "/", .ok("neighbour"))
    }

    /// Sends requests while `body` runs.
    ///
    /// - Returns: the result, and the time that the slowest request took; nil if one failed.
    func watch<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> (Result, Duration?) {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { await self.run() }
            defer { state.withLock { $0.isOver = true } }
            let result = try await body()
            state.withLock { $0.isOver = true }
            let isFine = try await group.next() ?? false
            return (result, isFine ? state.withLock { $0.slowest } : nil)
        }
    }

    private func run() async -> Bool {
        while true {
            let start = ContinuousClock.now
            let outcome = await HTTPRequestOperation(server.url("/"), timeout: 20).outcome()
            guard outcome.text == "neighbour" else { return false }
            let duration = ContinuousClock.now - start
            let isOver = state.withLock { state in
                state.slowest = max(state.slowest, duration)
                return state.isOver
            }
            if isOver { return true }
            // One a moment is enough to see what is delayed, and leaves the processor to what is watched.
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
