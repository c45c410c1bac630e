// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// The time of a streamed upload while its delegate is asked for the content.
@Suite("The time of streamed uploads", .timeLimit(.minutes(1))) struct FirstBodyTests {
    /// Keeps the question until the test answers it.
    private final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
        let isAsked = Gate()
        let isComplete = Gate()
        let errors = Notes<(any Error)?>()
        private let answer = Locked<(@Sendable (InputStream?) -> Void)?>(nil)

        func give(_ text: String) {
            let answer = answer.withLock { $0.take() }
            answer?(InputStream(data: Data(text.utf8)))
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @Sendable @escaping (InputStream?) -> Void
        ) {
            answer.withLock { $0 = completionHandler }
            isAsked.open()
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            errors.add(error)
            isComplete.open()
        }
    }

    private let server: TestServer
    private let delegate = Delegate()

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .ok() }
    }

    /// A task that was resumed, and whose delegate was asked.
    private func asked(within limit: TimeInterval) async -> URLSessionTask {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = limit
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let task = OperationURLSession(configuration: configuration, delegate: delegate)
            .uploadTask(withStreamedRequest: request)
        task.resume()
        await delegate.isAsked.wait()
        return task
    }

    /// Waits until alarms that were set before have gone off.
    private func alarms(after seconds: TimeInterval) async {
        await withCheckedContinuation { continuation in
            Runtime.current.after(seconds) { continuation.resume() }
        }
    }

    private func expectWhole() async {
        delegate.give("content")
        await delegate.isComplete.wait()
        #expect(delegate.errors.all.count == 1 && delegate.errors.all.allSatisfy { $0 == nil })
        #expect(server.requests.map(\.text) == ["content"])
    }

    @Test("A time that is not positive is no limit", arguments: [0, -1] as [TimeInterval])
    func noLimit(_ limit: TimeInterval) async {
        let task = await asked(within: limit)
        await alarms(after: 0.01)
        #expect(task.state == .running)
        await expectWhole()
    }

    @Test("The time stands while the task is suspended, also before its content is there")
    func suspended() async {
        let task = await asked(within: 0.8)
        task.suspend()
        await alarms(after: 0.9)
        #expect(task.state == .suspended)
        task.resume()
        await expectWhole()
    }

    @Test("The clock of the question runs and stands, and its last alarm counts")
    func clock() throws {
        var time = try #require(FirstBodyTime(limit: 10))
        let (first, again) = (time.run(at: 100), time.run(at: 101))
        #expect(first == FirstBodyTime.Alarm(delay: 10, number: 1) && again == nil)
        #expect(time.look(1, at: 105) == .later(FirstBodyTime.Alarm(delay: 5, number: 1)))
        time.stand(at: 106)
        #expect(time.look(1, at: 200) == .nothing && time.left(at: 200) == 4)
        let second = time.run(at: 300)
        #expect(second == FirstBodyTime.Alarm(delay: 4, number: 2))
        #expect(time.look(1, at: 304) == .nothing && time.look(2, at: 304) == .over && time.left(at: 305) == -1)
        for limit in [nil, 0, -1, .nan, .infinity] as [TimeInterval?] {
            let none = FirstBodyTime(limit: limit)
            #expect(none == nil)
        }
    }
}
