// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

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

    enum WaitingBlock: CaseIterable { case preparing, redirect, challenge, cache }

    @Test(
        "Blocks that wait for a request in their own queue, and for what that waits for",
        arguments: WaitingBlock.allCases)
    func waitingInOneQueue(_ kind: WaitingBlock) async throws {
        let server = try TestServer()
        server.respond(to: "/moved", .redirect(to: "/x"))
        server.respond(to: "/token", .ok("token"))
        server.respondToOthers { request in
            kind == .challenge && request["Authorization"] == nil
                ? .status(401).adding(header: "WWW-Authenticate", "Basic realm=\"x\"")
                : .ok("x").adding(header: "Cache-Control", "max-age=60")
        }
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 8
        let (token, first) = (server.url("/token"), HTTPRequestOperation.make(server.url("/token")))
        let wait: @Sendable () -> Void = {
            let upstream = HTTPRequestOperation.make(token)
            let foreign = BlockOperation()
            foreign.addDependency(upstream)
            let request = HTTPRequestOperation.make(token)
            request.addDependency(foreign as Operation)
            for operation in [upstream, foreign, request] { queue.addOperation(operation) }
            request.waitUntilFinished()
            #expect(request.responseString == "token")
        }
        let operations = (0..<24).map { index in
            let operation = HTTPRequestOperation.make(server.url(kind == .redirect ? "/moved" : "/\(index)"))
            switch kind {
            case .preparing:
                operation.addDependency(first) { _, _ in wait() }
            case .redirect:
                operation.setRedirectResponseBlock { _, request, response in
                    if response != nil { wait() }
                    return request
                }
            case .challenge:
                operation.setWillSendRequestForAuthenticationChallengeBlock { _, _ in
                    wait()
                    return .useCredential(URLCredential(user: "u", password: "p", persistence: .none))
                }
            case .cache:
                operation.setCacheResponseBlock { _, _ in
                    wait()
                    return nil
                }
            }
            return operation
        }
        queue.enqueue(operations + [first])
        for operation in operations { await operation.completed() }
        #expect(operations.allSatisfy { $0.responseString == "x" })
        try await eventually("the slots are free") {
            queue.queuedOperationCount == 0 && queue.state.withLock { $0.scheduler.running } == 0
        }
    }

    @Test("Operations without blocks are not kept by a queue that nobody runs")
    func stalledQueue() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let queue = DispatchQueue(label: "stalled")
        queue.suspend()
        defer { queue.resume() }
        let mark = CountedOperation.mark
        for _ in 0..<20 {
            let operation = CountedOperation(request: URLRequest(url: server.url()))
            operation.completionQueue = queue
            operation.start()
            await operation.finished()
        }
        try await eventually("they are released") { CountedOperation.alive(since: mark) == 0 }
    }
}
