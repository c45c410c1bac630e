// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworking

/// The user's blocks, and what they must not hold up.
@Suite(.timeLimit(.minutes(2))) struct BlockSeamTests {
    @Test("Blocks that sleep do not hold up the parsing of others")
    func sleepingBlocks() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .json("{\"a\": 1}") }
        let gate = Gate()
        let sleepers = (0..<70).map { _ in
            let operation = HTTPRequestOperation.make(server.url())
            operation.setRedirectResponseBlock { _, request, _ in
                _ = gate.wait(timeout: 60)
                return request
            }
            return operation
        }
        for sleeper in sleepers { sleeper.start() }
        let operation = HTTPRequestOperation.make(server.url())
        operation.responseSerializer = JSONResponseSerializer()
        let start = ContinuousClock.now
        await operation.run()
        #expect(ContinuousClock.now - start < .seconds(5 * Patience.factor))
        #expect((operation.responseObject as? [String: Int]) == ["a": 1])
        gate.open()
        for sleeper in sleepers { await sleeper.completed() }
        #expect(sleepers.allSatisfy { $0.error == nil })
    }

    @Test("64 challenge blocks that each wait for a token request")
    func waitingChallenges() async throws {
        let server = try TestServer()
        server.respond(to: "/token", .json("{\"token\": \"t\"}"))
        server.respondToOthers { request in
            request["Authorization"] == nil
                ? .status(401).adding(header: "WWW-Authenticate", "Basic realm=\"x\"") : .ok("x")
        }
        let token = server.url("/token")
        let operations = (0..<64).map { _ in
            let operation = HTTPRequestOperation.make(server.url())
            operation.setWillSendRequestForAuthenticationChallengeBlock { _, _ in
                let request = HTTPRequestOperation.make(token)
                request.responseSerializer = JSONResponseSerializer()
                request.start()
                request.waitUntilFinished()
                let value = (request.responseObject as? [String: String])?["token"] ?? ""
                return .useCredential(URLCredential(user: "u", password: value, persistence: .none))
            }
            return operation
        }
        for operation in operations { operation.start() }
        for operation in operations { await operation.completed() }
        #expect(operations.allSatisfy { $0.responseString == "x" })
    }

    @Test("Operations without blocks are not kept by a queue that nobody runs")
    func stalledQueue() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let queue = DispatchQueue(label: "stalled")
        queue.suspend()
        defer { queue.resume() }
        let before = CountedOperation.alive.value
        for _ in 0..<20 {
            let operation = CountedOperation(request: URLRequest(url: server.url()))
            operation.completionQueue = queue
            operation.start()
            await operation.finished()
        }
        try await eventually("they are released") { CountedOperation.alive.value == before }
    }
}
