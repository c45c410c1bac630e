// SPDX-License-Identifier: MIT
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworking

@Suite struct SessionRegistryTests {
    @Test("Another face of a task that has ended does not bring the task back")
    func replacedFace() throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let session = OperationURLSession(configuration: .ephemeral)
        let face = try #require(session.dataTask(with: url) as? any SessionTaskFace)
        let other = try #require(session.dataTask(with: url) as? any SessionTaskFace)
        var registry = SessionRegistry()
        registry.insert(face.task)
        let new = registry.keep(face, of: face.task)
        let old = registry.replaceFace(other, of: face.task)
        #expect(new?.face == nil && old?.face === face)
        #expect(registry.tasks.count == 1 && registry.tasks.first?.face === other)
        _ = registry.remove(face.task.identifier)
        let late = registry.replaceFace(other, of: face.task)
        #expect(late == nil && registry.tasks.isEmpty)
        let isInvalid = registry.finish()
        #expect(isInvalid)
    }

    @Test("A task that has ended is not taken in again by a beginning that comes late")
    func lateBeginning() async throws {
        let server = try TestServer()
        let session = OperationURLSession(configuration: .ephemeral)
        let face = try #require(session.dataTask(with: server.url()) as? any SessionTaskFace)
        let delegate = RecordingDelegate()
        face.delegate = delegate
        face.resume()
        await delegate.isComplete.wait()
        try await eventually("everything is told") { face.task.session == nil }
        session.taskDidBegin(face.task)
        #expect(session.allTasks.isEmpty)
    }
}
