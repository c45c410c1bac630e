// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite struct DataTaskTests {
    @Test(arguments: SessionKind.allCases)
    func aCompletionHandlerGetsTheContent(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respond(to: "/hello", .ok("hello"))
        let outcome = await kind.make().outcome(server.url("/hello"))
        #expect(outcome.text == "hello")
        #expect(outcome.status == 200)
        #expect(outcome.error == nil)
    }

    @Test(arguments: SessionKind.allCases)
    func aBadStatusIsAResponse(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respond(to: "/", .json("{}", status: 500))
        let outcome = await kind.make().outcome(server.url())
        #expect(outcome.status == 500)
        #expect(outcome.text == "{}")
        #expect(outcome.error == nil)
    }

    @Test(arguments: SessionKind.allCases)
    func aDelegateIsToldInOrderOnItsQueue(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("hello"))
        let delegate = RecordingDelegate()
        let session = kind.make(delegate: delegate)
        session.dataTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        #expect(
            delegate.events.filter { $0 != "metrics" && !$0.hasPrefix("cache") } == ["response", "data", "complete"])
        #expect(delegate.data == Data("hello".utf8))
        #expect(delegate.queues == [ObjectIdentifier(session.delegateQueue)])
        session.finishTasksAndInvalidate()
        await delegate.isInvalid.wait()
        #expect(delegate.events.last == "invalid")
    }

    @Test(arguments: SessionKind.allCases)
    func aTaskThatWasNeverResumedCanBeCancelled(_ kind: SessionKind) async throws {
        let server = try TestServer()
        let outcome = await kind.make().outcome(URLRequest(url: server.url())) { $0.cancel() }
        #expect(outcome.code == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test func aDownloadIsAFileDuringTheCall() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("content"))
        let session = OperationURLSession(configuration: .ephemeral)
        let outcome = await session.downloading { session.downloadTask(with: server.url(), completionHandler: $0) }
        #expect(outcome.file == Data("content".utf8))
        let location = try #require(outcome.location)
        try await eventually("the file is removed") { !FileManager.default.fileExists(atPath: location.path) }
    }

    @Test func aTaskIsAnOperation() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("hello"))
        let session = OperationURLSession(configuration: .ephemeral)
        let task = session.dataTask(with: server.url())
        let operation = try #require(session.operation(for: task))
        operation.start()
        try await eventually("the operation ends") { operation.isFinished }
        #expect(operation.responseString == "hello")
        try await eventually("the task ends, too") { task.state == .completed }
    }
}
