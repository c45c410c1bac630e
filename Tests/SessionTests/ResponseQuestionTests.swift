// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

@Suite("The question about a response", .timeLimit(.minutes(1))) struct ResponseQuestionTests {
    // MARK: The value

    private func response(_ tag: String) throws -> HTTPURLResponse {
        try #require(
            HTTPURLResponse(
                url: URL(fileURLWithPath: "/"), statusCode: 200, httpVersion: nil, headerFields: ["ETag": tag]))
    }

    /// What an action is, in a word, with the response that it is about.
    private func describe(_ action: ResponseQuestion.Action) -> String {
        func tag(_ response: HTTPURLResponse?) -> String { response?.value(forHTTPHeaderField: "ETag") ?? "-" }
        return switch action {
        case .none: "none"
        case .ask(let response): "ask \(tag(response))"
        case .admit(let waiting): "admit \(tag(waiting.response))"
        case .refuse(let waiting): "refuse \(tag(waiting.response))"
        case .fail(let waiting): "fail \(tag(waiting.response))"
        }
    }

    /// A word for each input, and what comes of it.
    private func check(_ steps: [(input: String, action: String)], line: Int = #line) throws {
        var question = ResponseQuestion()
        for (input, action) in steps {
            let words = input.split(separator: " ").map(String.init)
            let result: ResponseQuestion.Action =
                switch words[0] {
                case "allow": question.answer(isWanted: true)
                case "download": question.answer(isWanted: true, isForAny: true)
                case "cancel": question.answer(isWanted: false)
                case "give-up": question.giveUp()
                default:
                    question.receive(
                        ResponseQuestion.Waiting(
                            response: try response(words[0]), admit: {}, refuse: {}, isLast: words.contains("last")),
                        isAsked: !words.contains("unasked"), isUnread: !words.contains("read"))
                }
            #expect(describe(result) == action, "\(steps) of line \(line)")
        }
    }

    @Test func oneIsAskedAtATime() throws {
        try check([("a", "ask a"), ("a", "none"), ("allow", "admit a"), ("allow", "none"), ("a read", "admit a")])
        try check([("a", "ask a"), ("b", "none"), ("allow", "ask b"), ("c", "none"), ("allow", "ask c")])
        try check([("a", "ask a"), ("b", "none"), ("cancel", "refuse b"), ("allow", "none")])
        try check([("a", "ask a"), ("b", "none"), ("download", "admit b")])
        try check([("a", "ask a"), ("allow", "admit a"), ("b", "ask b"), ("allow", "admit b")])
        try check([("a", "ask a"), ("allow", "admit a"), ("b read", "fail b")])
        try check([("a unasked", "admit a"), ("a unasked read", "admit a"), ("b unasked read", "fail b")])
    }

    @Test func whoEndsATaskIsNotWaitedFor() throws {
        try check([("a", "ask a"), ("give-up", "none"), ("allow", "none")])
        try check([("a", "ask a"), ("b last", "none"), ("give-up", "refuse b"), ("cancel", "none")])
        try check([("a last", "ask a"), ("give-up", "refuse a"), ("give-up", "none")])
    }

    // MARK: A delegate's

    /// Keeps the questions, to answer them later.
    private final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
        let events = Notes<String>()
        let questions = Notes<@Sendable (URLSession.ResponseDisposition) -> Void>()
        let isComplete = Gate()

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
        ) {
            events.add("response " + ((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag") ?? "-"))
            questions.add(completionHandler)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
        ) {
            events.add("download")
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            events.add("data")
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            events.add(error.map { "error \(($0 as NSError).code)" } ?? "complete")
            isComplete.open()
        }
    }

    /// Sends a hundred bytes, of the first response ten.
    private func server(_ tags: [String]) throws -> TestServer {
        let server = try TestServer()
        for (index, tag) in tags.enumerated() {
            let head = "HTTP/1.1 200 OK\r\nETag: \(tag)\r\nContent-Length: 100\r\n\r\n"
            let content = String(repeating: "a", count: index == 0 ? 10 : 100)
            server.enqueue(.script([.send(head + content)] + (index == 0 ? [.stall] : [])))
        }
        return server
    }

    @Test(
        "A response that comes again before the answer is not asked about again, and another one after the answer",
        arguments: [
            (["\"1\"", "\"1\""], URLSession.ResponseDisposition.allow, ["response \"1\"", "data", "complete"]),
            (["\"1\"", "\"2\""], .allow, ["response \"1\"", "response \"2\"", "data", "complete"]),
            (["\"1\"", "\"2\""], .cancel, ["response \"1\"", "error -999"]),
        ])
    func again(
        _ tags: [String], _ disposition: URLSession.ResponseDisposition, _ events: [String]
    ) async throws {
        let server = try server(tags)
        let delegate = Delegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let task = session.dataTask(with: server.url())
        task.resume()
        try await eventually { delegate.questions.all.count == 1 }
        task.suspend()
        task.resume()
        try await eventually { task.countOfBytesReceived == 100 }
        #expect(delegate.events.all == ["response \(tags[0])"])
        delegate.questions.all[0](disposition)
        if events.contains("response \"2\""), tags[1] != tags[0] {
            try await eventually { delegate.questions.all.count == 2 }
            delegate.questions.all[1](.allow)
        }
        await delegate.isComplete.wait()
        #expect(delegate.events.all == events)
        // What was answered already says nothing more.
        for question in delegate.questions.all { question(.cancel) }
    }
}
