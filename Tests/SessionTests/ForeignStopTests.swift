// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// Ends of what a session of Foundation's is to load, before it has begun.
@Suite("Stops of Foundation's loading", .timeLimit(.minutes(1))) struct ForeignStopTests {
    @Test("A loader that is stopped before it begins sends nothing, and lets go of its task")
    func stoppedBefore() async throws {
        _ = URLProtocol.registerClass(Unwanted.self)
        defer { URLProtocol.unregisterClass(Unwanted.self) }
        weak var gone: SessionTask?
        weak var unused: SessionForeignSessions?
        do {
            let session = OperationURLSession(configuration: .ephemeral)
            let url = try #require(URL(string: "unwanted://host/"))
            let task = session.dataTask(with: url)
            let inner = try #require((task as? any SessionTaskFace)?.task)
            let sessions = SessionForeignSessions(.ephemeral)
            gone = inner
            unused = sessions
            let loader = SessionForeignLoader(URLRequest(url: url), file: nil, sessions)
            // As when a task is cancelled while another thread begins it.
            loader.stop()
            loader.begin(inner)
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                sessions.control.async { continuation.resume() }
            }
            task.cancel()
            try await eventually("the end") { task.state == .completed }
        }
        // Foundation's session, had one been made, would keep both.
        try await eventually("both go") { gone == nil && unused == nil }
        #expect(!Unwanted.isStarted.isOpen)
    }

    @Test("A loader whose session is gone makes no other one, and ends its task")
    func sessionGone() async throws {
        weak var unused: SessionForeignSessions?
        do {
            let session = OperationURLSession(configuration: .ephemeral)
            let url = try #require(URL(string: "unknown://host/"))
            let task = session.dataTask(with: url)
            let inner = try #require((task as? any SessionTaskFace)?.task)
            let sessions = SessionForeignSessions(.ephemeral)
            unused = sessions
            sessions.invalidate()
            SessionForeignLoader(URLRequest(url: url), file: nil, sessions).begin(inner)
            try await eventually("the end") { task.state == .completed }
            #expect((task.error as? URLError)?.code == .cancelled)
        }
        try await eventually("it goes") { unused == nil }
    }
}

/// Answers nothing.
private final class Unwanted: URLProtocol {
    static let isStarted = Gate()

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "unwanted" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() { Self.isStarted.open() }
    override func stopLoading() {}
}
