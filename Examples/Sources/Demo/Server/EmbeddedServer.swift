// SPDX-License-Identifier: MIT
internal import FlyingFox
internal import FlyingSocks
internal import Foundation

/// A server in this process that answers like httpbin does, as far as the demo asks, on a free port of the loopback
/// interface.
final class EmbeddedServer: Sendable {
    let baseURL: URL
    private let server: HTTPServer
    private let task: Task<Void, any Error>

    init() async throws {
        let server = try HTTPServer(
            address: .inet(ip4: "127.0.0.1", port: 0), logger: .disabled, handler: Endpoints())
        let task = Task { try await server.run() }
        do {
            try await server.waitUntilListening()
        } catch {
            task.cancel()
            throw error
        }
        guard case .ip4(_, let port)? = await server.listeningAddress,
            let url = URL(string: "http://127.0.0.1:\(port)/")
        else {
            task.cancel()
            throw DemoFailure("the embedded server has no address")
        }
        baseURL = url
        self.server = server
        self.task = task
    }

    /// Closes the connections, those of cancelled requests among them.
    func stop() async {
        await server.stop(timeout: 1)
        task.cancel()
    }
}
