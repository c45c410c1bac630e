// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

@Suite("Descriptors", .timeLimit(.minutes(1)), .serialized)
struct DescriptorTests {
    @Test(
        "At the limit of descriptors idle connections are given up for new ones, in the same pool and in others",
        arguments: ["first", "other"], ["127.0.0.1", "localhost"])
    func limit(policy: String, host: String) throws {
        let first = ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            // As many requests arrive as there can be.
            connection.pause(milliseconds: 500)
            connection.respond("x")
            connection.waitForEnd()
        }
        let second = ScriptedServer { $0.respondToAll("y") }
        defer {
            first.stop()
            second.stop()
        }
        let child = Process()
        child.executableURL = try FixtureProgram.url("EngineFixture")
        child.arguments = ["descriptors", first.url, "http://\(host):\(second.port)", policy]
        try child.run()
        child.waitUntilExit()
        #expect(child.terminationReason == .exit && child.terminationStatus == 0)
    }

    @Test("Nothing that the engine opens is inherited by programs that this process runs")
    func inheritance() async throws {
        func inherited() throws -> Set<Int32> {
            let all = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            return Set(all.filter { fcntl($0, F_GETFD) & FD_CLOEXEC == 0 && fcntl($0, F_GETFD) >= 0 })
        }
        let server = ScriptedServer { $0.respondToAll("x") }
        let engine = TransportEngine()
        let before = try inherited()
        defer {
            engine.shutdown()
            server.stop()
        }
        for policy in 0..<5 { _ = await engine.run(TransferRequest(server.url, policy: "\(policy)")) }
        let sockets = try inherited().subtracting(before).filter { descriptor in
            var domain: Int32 = 0
            var size = socklen_t(4)
            return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX
        }
        #expect(sockets.isEmpty)
    }

    @Test("A command of another source of the network thread's run loop is heard at once")
    func otherSource() async {
        await withEngine(server: { $0.respondToAll("x") }) { engine, server in
            let handler = RecordingHandler()
            let request = TransferRequest(server.url)
            engine.perform {
                // Runs when the pass is over, and nothing else happens.
                RunLoop.current.perform { engine.start(Transfer(request: request, handler: handler)) }
            }
            let start = MonotonicClock.now
            #expect(await handler.finished().text == "x")
            #expect(MonotonicClock.now - start < 5_000_000_000)
        }
    }
}
