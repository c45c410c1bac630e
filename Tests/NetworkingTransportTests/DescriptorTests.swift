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
    func inheritance() async {
        let server = ScriptedServer { $0.respondToAll("x") }
        let engine = TransportEngine()
        let before = Set((0..<1024).filter(isInheritedUnixSocket))
        defer {
            engine.shutdown()
            server.stop()
        }
        for policy in 0..<5 { _ = await engine.run(TransferRequest(server.url, policy: "\(policy)")) }
        #expect(Set((0..<1024).filter(isInheritedUnixSocket)).isSubset(of: before))
    }

    @Test("Nor when other threads have closed lower descriptors meanwhile", arguments: 0..<3)
    func inheritanceWhileOthersClose(closed: Int32) throws {
        let poller = try #require(Poller(mailbox: EngineMailbox(), batchSize: 1))
        let before = Set((0..<1024).filter(isInheritedUnixSocket))
        let next = MultiHandle.nextDescriptor()
        let multi = MultiHandle(observer: SocketObserver(poller: poller, pool: 0), expecting: next + closed)
        try withExtendedLifetime(#require(multi)) {
            #expect(Set((0..<1024).filter(isInheritedUnixSocket)) == before)
        }
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

    private func isInheritedUnixSocket(_ descriptor: Int32) -> Bool {
        var domain: Int32 = 0
        var size = socklen_t(4)
        return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX
            && fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0
    }
}
