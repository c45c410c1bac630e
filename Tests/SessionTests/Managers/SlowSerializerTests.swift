// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

@Suite("Serializers of a user's that wait, in sessions", .timeLimit(.minutes(2))) struct SessionSlowSerializerTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
        server.respond(to: "/slow", .ok("[1]", type: "application/json"))
        server.respond(to: "/other", .ok("[2]", type: "application/json"))
    }

    private static func session() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 100
        return configuration
    }

    private let slow = URLSessionManager(sessionConfiguration: SessionSlowSerializerTests.session()).offMain()
    private let other = URLSessionManager(sessionConfiguration: SessionSlowSerializerTests.session()).offMain()

    @Test(
        "64 data tasks with a serializer that waits hold up no other request of the same origin",
        arguments: [false, true])
    func dataTasks(withDataBlock: Bool) async throws {
        let serializer = WaitingSerialization()
        defer { serializer.gate.open() }
        slow.responseSerializer = serializer
        if withDataBlock { slow.setDataTaskDidReceiveDataBlock { _, _, _ in } }
        let (manager, url) = (slow, server.url("/slow"))
        let tasks = (0..<64).map { _ in Task { await manager.loading(URLRequest(url: url)) } }
        try await eventually("64 serializers at work") { serializer.entered.withLock { $0 } == 64 }
        let outcome = await other.loading(URLRequest(url: server.url("/other")))
        #expect(outcome.object as? [Int] == [2])
        serializer.gate.open()
        for task in tasks { #expect(await task.value.object as? [Int] == [1]) }
    }

    @Test("Downloads whose serializer waits hold up no other of the same manager")
    func downloads() async throws {
        let serializer = WaitingSerialization()
        defer { serializer.gate.open() }
        slow.responseSerializer = serializer
        let (manager, url) = (slow, server.url("/slow"))
        let tasks = (0..<8).map { _ in Task { await manager.downloading(URLRequest(url: url)) } }
        // Their verdicts come at once, though the manager has one queue for its events.
        try await eventually("8 verdicts") { serializer.entered.withLock { $0 } == 8 }
        serializer.gate.open()
        for task in tasks { #expect(await task.value.error == nil) }
    }
}

private final class WaitingSerialization: URLResponseSerialization {
    let gate = Gate()
    let entered = Locked(0)

    func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        entered.withLock { $0 += 1 }
        _ = gate.wait(timeout: 60)
        guard let data, !data.isEmpty else { return nil }
        return try JSONResponseSerializer().responseObject(for: response, data: data)
    }
}
