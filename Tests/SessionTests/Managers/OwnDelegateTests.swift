// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSessions

/// The `delegate` of one of a manager's tasks.
@Suite("The delegate of a session manager's task", .timeLimit(.minutes(1))) struct OwnDelegateTests {
    let server: TestServer
    let manager: HTTPSessionManager
    let delegate = RecordingDelegate()

    init() throws {
        server = try TestServer()
        server.respond(to: "/from", ScriptedResponse(status: 302, headers: [("Location", "/to")]))
        server.respondToOthers { _ in .json(#"{"a":"b"}"#) }
        manager = HTTPSessionManager(baseURL: server.url()).offMain()
    }

    /// Sets blocks that count, which is all that they do.
    private func noteBlocks() -> Notes<String> {
        let log = Notes<String>()
        manager.setTaskWillPerformHTTPRedirectionBlock { _, _, _, request in
            log.add("redirect")
            return request
        }
        manager.setDataTaskDidReceiveResponseBlock { _, _, _ in
            log.add("response")
            return .allow
        }
        manager.setDataTaskDidReceiveDataBlock { _, _, _ in log.add("data") }
        manager.setTaskDidFinishCollectingMetricsBlock { _, _, _ in log.add("metrics") }
        manager.setTaskDidCompleteBlock { _, _, _ in log.add("complete") }
        manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in
            log.add("file")
            return nil
        }
        return log
    }

    @Test("It is told what it would be told of in a session without a manager, and the blocks are not")
    func direct() async throws {
        let log = noteBlocks()
        let plain = RecordingDelegate()
        for (session, delegate) in [
            (manager.session, delegate), (OperationURLSession(configuration: .default), plain),
        ] {
            let task = session.dataTask(with: server.url("/from"))
            task.delegate = delegate
            task.resume()
            await delegate.isComplete.wait()
            #expect(delegate.queues == [ObjectIdentifier(session.delegateQueue)])
        }
        #expect(delegate.events == plain.events && delegate.events.starts(with: ["redirect 302", "response", "data"]))
        #expect(delegate.data == plain.data)
        if seesPrivateState { #expect(delegate.metrics?.transactionMetrics.count == 2) }
        // The others of the session are told to the blocks.
        manager.session.dataTask(with: server.url("/from")).resume()
        try await eventually("the end") { log.all.last == "complete" }
        #expect(log.all == ["redirect", "response", "data", "metrics", "complete"])
    }

    @Test("It decides, and the handler of the manager's own task is called beside it")
    func handler() async throws {
        let log = noteBlocks()
        delegate.redirect = { _ in nil }
        let refused = await manager.loading(URLRequest(url: server.url("/from"))) { $0.delegate = delegate }
        #expect(refused.status == 302)
        #expect(delegate.events.first == "redirect 302" && delegate.events.last == "complete")
        let other = RecordingDelegate()
        let outcome = await manager.loading(URLRequest(url: server.url("/to"))) { $0.delegate = other }
        #expect(outcome.json == ["a": "b"] && other.data == Data(#"{"a":"b"}"#.utf8))
        #expect(log.all.isEmpty)
    }

    @Test("It gets a download's file, which goes on to the task's destination unless it is taken away")
    func download() async throws {
        let log = noteBlocks()
        let folder = try TemporaryDirectory()
        let target = folder.file("target")
        let outcome = await manager.downloading(
            URLRequest(url: server.url("/file")), to: { _, _ in target }, beforeResuming: { $0.delegate = delegate })
        #expect(outcome.error == nil && outcome.url == target)
        #expect(try delegate.file == Data(contentsOf: target))
        #expect(delegate.events == ["write", "file", "metrics", "complete"])
        let direct = manager.session.downloadTask(with: server.url("/file"))
        let other = RecordingDelegate()
        direct.delegate = other
        direct.resume()
        await other.isComplete.wait()
        #expect(other.events == ["write", "file", "metrics", "complete"] && other.file == delegate.file)
        #expect(log.all.isEmpty)
    }

    @Test("What it takes away goes nowhere else, and a bad status is an error all the same", arguments: [200, 404])
    func movedDownload(_ status: Int) async throws {
        final class Mover: NSObject, URLSessionDownloadDelegate, Sendable {
            let target: URL

            init(_ target: URL) {
                self.target = target
            }

            func urlSession(
                _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
            ) {
                do { try FileManager.default.moveItem(at: location, to: target) } catch { Issue.record(error) }
            }
        }
        server.respond(to: "/file", ScriptedResponse(status: status, body: .text("content")))
        let folder = try TemporaryDirectory()
        let mover = Mover(folder.file("taken"))
        let (taken, other) = (mover.target, folder.file("other"))
        let outcome = await manager.downloading(
            URLRequest(url: server.url("/file")), to: { _, _ in other }, beforeResuming: { $0.delegate = mover })
        #expect(outcome.url == nil && (outcome.error == nil) == (status == 200))
        #expect(try Data(contentsOf: taken) == Data("content".utf8))
        #expect(!FileManager.default.fileExists(atPath: other.path))
    }

    @Test("A cancellation does not wait for its answer about a response that was kept for another attempt")
    func neverAnswered() async throws {
        final class Silent: NSObject, URLSessionDataDelegate, Sendable {
            let isAsked = Gate()

            func urlSession(
                _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
                completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
            ) {
                isAsked.open()
            }
        }
        server.respond(to: "/missing", ScriptedResponse(status: 404, body: .text("missing")))
        manager.retryPolicy = RetryPolicy(maximumAttempts: 2)
        let silent = Silent()
        let outcome = await manager.loading(URLRequest(url: server.url("/missing"))) { task in
            task.delegate = silent
            Task {
                await silent.isAsked.wait()
                task.cancel()
            }
        }
        #expect(outcome.code == URLError.cancelled.rawValue)
        try await eventually("the task is forgotten") { manager.tasks.isEmpty }
    }
}
