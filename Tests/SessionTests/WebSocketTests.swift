// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// Foundation's web sockets, as a session leaves them behind.
@Suite("Web sockets of sessions", .timeLimit(.minutes(1))) struct WebSocketTests {
    /// Notes how it is closed.
    private final class Socket: URLSessionWebSocketTask, @unchecked Sendable {
        let codes: Notes<Int>

        init(_ codes: Notes<Int>) {
            self.codes = codes
            super.init()
        }

        override func cancel(with closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?) {
            codes.add(closeCode.rawValue)
        }
    }

    private static let goingAway = URLSessionWebSocketTask.CloseCode.goingAway.rawValue

    @Test("A session that is invalidated closes its web sockets, unless it only finishes", arguments: [true, false])
    func invalidation(cancels: Bool) {
        let session = OperationURLSession(configuration: .ephemeral)
        let (early, late) = (Socket(Notes()), Socket(Notes()))
        #expect(session.remembering(early) === early)
        if cancels { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
        #expect(session.remembering(late) === late)
        session.foreign.control.sync {}
        #expect(early.codes.all == (cancels ? [Self.goingAway] : []))
        #expect(late.codes.all == [Self.goingAway])
    }

    @Test("A session knows the web sockets that it has made, while somebody has them")
    func makers() async throws {
        let url = try #require(URL(string: "ws://127.0.0.1:1/"))
        let session = OperationURLSession(configuration: .ephemeral)
        let sockets = [
            session.webSocketTask(with: url), session.webSocketTask(with: url, protocols: ["a"]),
            session.webSocketTask(with: URLRequest(url: url)),
        ]
        let noted = session.registry.withLock { $0.webSockets }
        #expect(noted.map { ObjectIdentifier($0) } == sockets.map { ObjectIdentifier($0) })
        session.invalidateAndCancel()
        try await eventually("Foundation closes them") { sockets.allSatisfy { $0.closeCode == .goingAway } }
    }
}
