// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

@Suite(.serialized, .timeLimit(.minutes(1))) struct SessionRegistryTests {
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

    @Test("A task that only the session has is kept, and resumed; the session is not kept by it")
    func weaklyHeld() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("hello"))
        let delegate = RecordingDelegate()
        weak var gone: OperationURLSession?
        weak var unresumed: URLSessionTask?
        do {
            let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
            gone = session
            weak let task: URLSessionTask? = session.dataTask(with: server.url())
            unresumed = session.uploadTask(with: URLRequest(url: server.url()), from: Data())
            let known = try #require(task as? any SessionTaskFace).task
            try await eventually("the task lets go of its session") { known.leavesSession }
            #expect(unresumed != nil)
            task?.resume()
            await delegate.isComplete.wait()
            #expect(delegate.data == Data("hello".utf8))
        }
        try await eventually("both go") { gone == nil && unresumed == nil }
    }

    @Test("A task that is held keeps its session; one whose operation was taken is the operation's")
    func held() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let delegate = RecordingDelegate()
        weak var gone: OperationURLSession?
        var task: URLSessionTask?
        var operation: HTTPRequestOperation?
        do {
            let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
            gone = session
            task = session.dataTask(with: server.url())
            operation = session.operation(for: session.dataTask(with: server.url("/operation")))
        }
        // Several looks at them.
        try await Task.sleep(for: .milliseconds(30))
        #expect(gone != nil)
        task?.resume()
        task = nil
        try await eventually("the end") { delegate.events.contains("complete") }
        operation?.start()
        try await eventually("the operation's end") { operation?.isFinished == true }
        #expect(operation?.responseData == Data("hello".utf8) || operation?.error == nil)
        operation = nil
        try await eventually("all go") { gone == nil }
    }

    @Test("Tasks that were not resumed are cancelled with the session")
    func invalidated() async throws {
        let server = try TestServer()
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        weak let task: URLSessionTask? = session.dataTask(with: server.url())
        #expect(session.allTasks.count == 1)
        session.invalidateAndCancel()
        await delegate.isInvalid.wait()
        try await eventually("the task goes") { task == nil }
    }

    @Test("A task that is being made when its session is invalidated is waited for, and cancelled with the others")
    func madeMeanwhile() throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let session = OperationURLSession(configuration: .ephemeral)
        let face = try #require(session.dataTask(with: url) as? any SessionTaskFace)
        var registry = SessionRegistry()
        let early = registry.makeIdentifier()
        let isInvalid = registry.finish(cancels: true)
        let late = registry.makeIdentifier()
        #expect(early.isValid && !isInvalid && !late.isValid && registry.phase == .finishing)
        let insertion = registry.insert(face.task, face: face)
        #expect(insertion.cancels && registry.tasks.count == 1)
        let removal = registry.remove(face.task.identifier)
        #expect(removal.wasLast && registry.phase == .invalid)
    }

    @Test("A task whose session is invalidated while it is being made ends as one that was there before")
    func invalidatedMeanwhile() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Bystander.self]
        for cancels in [true, false] {
            let delegate = RecordingDelegate()
            let session = OperationURLSession(configuration: configuration, delegate: delegate)
            Bystander.whenAsked.withLock {
                $0 = { if cancels { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() } }
            }
            session.dataTask(with: server.url()).resume()
            await delegate.isInvalid.wait()
            #expect(delegate.events.suffix(2) == [cancels ? "error" : "complete", "invalid"])
            #expect(delegate.code == (cancels ? URLError.Code.cancelled : nil))
            #expect(server.requests.isEmpty == cancels)
        }
    }

    private final class TaskDelegate: NSObject, URLSessionTaskDelegate {}

    @Test("A task that is over before its loading has begun is released, and its delegate with it")
    func overAtOnce() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Bystander.self]
        weak var gone: TaskDelegate?
        do {
            let session = OperationURLSession(configuration: configuration)
            Bystander.whenAsked.withLock { $0 = { session.invalidateAndCancel() } }
            // Its functions are Foundation's.
            let plain: URLSession = session
            let delegate = TaskDelegate()
            gone = delegate
            do {
                _ = try await plain.data(for: URLRequest(url: server.url()), delegate: delegate)
                Issue.record("the task was not cancelled")
            } catch {
                #expect((error as? URLError)?.code == .cancelled)
            }
        }
        let wasAsked = Bystander.whenAsked.withLock { $0 == nil }
        #expect(wasAsked && server.requests.isEmpty)
        try await eventually("the delegate goes") { gone == nil }
    }
}

/// Takes no request, and does something when it is asked, which is while a task is being made.
private final class Bystander: URLProtocol {
    static let whenAsked = Locked<(@Sendable () -> Void)?>(nil)

    override class func canInit(with request: URLRequest) -> Bool {
        let work = whenAsked.withLock { $0.take() }
        work?()
        return false
    }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {}
    override func stopLoading() {}
}
