// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

/// A session that is invalidated ends the tasks that were made and not resumed, too, on another thread than the one that
/// makes them.
@Suite("Requests of a manager whose session is invalidated meanwhile", .timeLimit(.minutes(1)))
struct InvalidatedManagerTests {
    enum Verb: CaseIterable { case get, post, multipart }

    /// Returns a task when it was cancelled, and that is about to be told on the completion queue.
    private final class LateManager: HTTPSessionManager, @unchecked Sendable {
        private func awaitEnd<Task: URLSessionTask>(_ make: () -> Task) -> Task {
            let task = make()
            invalidateSessionCancelingTasks(true)
            while completionGroup?.wait(timeout: .now()) == .success { sched_yield() }
            return task
        }

        override func dataTask(
            with request: URLRequest, completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? = nil
        ) -> URLSessionDataTask {
            awaitEnd { super.dataTask(with: request, completionHandler: completionHandler) }
        }

        override func uploadTask(
            withStreamedRequest request: URLRequest, progress: (@Sendable (Progress) -> Void)? = nil,
            completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? = nil
        ) -> URLSessionUploadTask {
            awaitEnd {
                super.uploadTask(
                    withStreamedRequest: request, progress: progress, completionHandler: completionHandler)
            }
        }
    }

    @Test(
        "Each gets its block called, on the completion queue, with its task", arguments: Verb.allCases)
    func answered(verb: Verb) async throws {
        let manager = LateManager(baseURL: URL(string: "http://127.0.0.1:1"))
        let (key, queue, group) = (DispatchSpecificKey<Bool>(), DispatchQueue(label: "test.mine"), DispatchGroup())
        queue.setSpecific(key: key, value: true)
        manager.completionQueue = queue
        manager.completionGroup = group
        let calls = Notes<Bool>()
        let failure: @Sendable (URLSessionDataTask?, any Error) -> Void = { task, error in
            calls.add(task != nil && error is URLError && DispatchQueue.getSpecific(key: key) == true)
        }
        let success: @Sendable (URLSessionDataTask, Any?) -> Void = { _, _ in calls.add(false) }
        queue.suspend()
        switch verb {
        case .get: manager.get("x", parameters: nil, success: success, failure: failure)
        case .post: manager.post("x", parameters: ["a": "b"], success: success, failure: failure)
        case .multipart: manager.post("x", constructingBodyWith: { _ in }, success: success, failure: failure)
        }
        queue.resume()
        await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
        #expect(calls.all == [true])
    }

    @Test("A task that is made while the session is replaced is answered once", arguments: [false, true])
    func madeWhileReplacing(isUpload: Bool) async throws {
        let manager = HTTPSessionManager(baseURL: nil)
        manager.completionQueue = DispatchQueue(label: "test.mine")
        let group = DispatchGroup()
        manager.completionGroup = group
        let isOver = Gate()
        Thread.detachNewThread {
            while !isOver.isOpen { manager.invalidateSessionCancelingTasks(true, resetSession: true) }
        }
        let request = try URLRequest(url: #require(URL(string: "http://127.0.0.1:1/")))
        let calls = Notes<Int>()
        let tasks = (0..<2000).map { number in
            let handler: @Sendable (URLResponse, Any?, (any Error)?) -> Void = { _, _, _ in calls.add(number) }
            let task: URLSessionTask =
                isUpload
                ? manager.uploadTask(with: request, from: Data("x".utf8), completionHandler: handler)
                : manager.dataTask(with: request, completionHandler: handler)
            task.resume()
            return task
        }
        isOver.open()
        for task in tasks { task.cancel() }
        try await eventually("all answers") { Set(calls.all).count == tasks.count }
        await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
        #expect(calls.all.count == tasks.count)
    }
}
