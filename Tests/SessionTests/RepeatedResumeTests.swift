// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// Further resumes of a task that runs already, and whose operation was paused as an operation.
@Suite("Repeated resumes of session tasks", .timeLimit(.minutes(1))) struct RepeatedResumeTests {
    /// Loads nothing, and notes what it is told; does something first, as another thread may at that moment.
    private final class NotingLoader: SessionTaskLoader {
        let calls = Notes<String>()
        let beforeProceeding = Locked<(@Sendable () -> Void)?>(nil)

        func begin(_ task: SessionTask) { calls.add("begin") }
        func pause() { calls.add("pause") }
        func proceed() {
            beforeProceeding.withLock { $0.take() }?()
            calls.add("proceed")
        }
        func stop() { calls.add("stop") }
    }

    @Test("What a further resume lets go on is paused again if the task is suspended meanwhile")
    func suspendedMeanwhile() async throws {
        let session = OperationURLSession(configuration: .ephemeral)
        let task = session.dataTask(with: try #require(URL(string: "http://127.0.0.1:1/")))
        let inner = try #require((task as? any SessionTaskFace)?.task)
        let operation = try #require(inner.operation)
        // In place of the operation, which no test can stop on its way into a resume.
        let loader = NotingLoader()
        inner.set(.foreign(loader))
        task.resume()
        operation.pause()
        #expect(operation.isPaused && task.state == .running)
        loader.beforeProceeding.withLock { $0 = { task.suspend() } }
        task.resume()
        #expect(task.state == .suspended)
        #expect(loader.calls.all == ["begin", "pause", "proceed", "pause"])
        task.cancel()
        try await eventually("the end") { task.state == .completed }
    }
}
