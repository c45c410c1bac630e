// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// Pauses and resumes of tasks by their progresses, and by the progresses that those count for.
@Suite("Control of tasks by progresses", .timeLimit(.minutes(1))) struct ProgressControlTests {
    private let gate = Gate()
    private let server: TestServer
    private let request: URLRequest

    init() throws {
        server = try TestServer()
        server.respond(to: "/", ScriptedResponse.ok("content").holding(gate, at: .beforeHead))
        var request = URLRequest(url: server.url())
        // One that keeps its connection when it is paused.
        request.httpMethod = "POST"
        self.request = request
    }

    private static func within<Result>(_ parent: Progress, _ make: () -> Result) -> Result {
        parent.becomeCurrent(withPendingUnitCount: 1)
        defer { parent.resignCurrent() }
        return make()
    }

    private func expectEnd(of task: URLSessionTask) async throws {
        gate.open()
        try await eventually("the end") { task.state == .completed }
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200 && server.requests.count == 1)
    }

    @Test(
        "A task that is paused and resumed many times by a progress does what came last", arguments: [false, true],
        [false, true])
    func order(isManagers: Bool, isByParent: Bool) async throws {
        defer { gate.open() }
        let session = OperationURLSession(configuration: .ephemeral)
        let manager = URLSessionManager(sessionConfiguration: .ephemeral).offMain()
        manager.responseSerializer = HTTPResponseSerializer()
        func make() -> URLSessionTask {
            isManagers ? manager.dataTask(with: request) { _, _, _ in } : session.dataTask(with: request)
        }
        let parent = Progress(totalUnitCount: 1)
        let task = isByParent ? Self.within(parent, make) : make()
        let own = isManagers ? manager.downloadProgress(for: task) : task.progress
        var progress = parent
        if !isByParent { progress = try #require(own) }
        task.resume()
        _ = try await server.nextRequest()
        for _ in 0..<2000 {
            progress.pause()
            progress.resume()
        }
        try await eventually("the task runs") { task.state == .running }
        try await expectEnd(of: task)
    }

    @Test("A progress that is paused twice, by itself and by its parent, goes on with one resume")
    func pausedTwice() async throws {
        defer { gate.open() }
        let session = OperationURLSession(configuration: .ephemeral)
        let parent = Progress(totalUnitCount: 1)
        let task = Self.within(parent) { session.dataTask(with: request) }
        let inner = try #require((task as? any SessionTaskFace)?.task)
        task.resume()
        _ = try await server.nextRequest()
        task.progress.pause()
        parent.pause()
        try await eventually("both pauses") { inner.withState { $0.machine.suspensions } == 2 }
        parent.resume()
        try await eventually("the task runs") { task.state == .running }
        try await expectEnd(of: task)
    }

    @Test("A task that is made while the current progress is paused begins when that goes on")
    func pausedBefore() async throws {
        defer { gate.open() }
        let session = OperationURLSession(configuration: .ephemeral)
        let parent = Progress(totalUnitCount: 1)
        parent.pause()
        let task = Self.within(parent) { session.dataTask(with: request) }
        let inner = try #require((task as? any SessionTaskFace)?.task)
        try await eventually("the pause") { inner.withState { $0.machine.suspensions } == 2 }
        task.resume()
        #expect(task.state == .suspended && task.progress.isPaused)
        parent.resume()
        try await expectEnd(of: task)
    }
}
