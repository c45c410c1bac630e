// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// What a session's configuration adds to requests that its delegate answers redirects with.
@Suite("Answers to redirects", .timeLimit(.minutes(1))) struct RedirectAnswerTests {
    private let server: TestServer

    init() throws {
        server = try TestServer()
    }

    @Test(
        "A request of the delegate's own has what the configuration adds, and its fields only in their origin",
        arguments: [false, true])
    func ownRequest(leavesOrigin: Bool) async throws {
        let other = try TestServer()
        let target = (leavesOrigin ? other : server).url("/to")
        server.respond(to: "/from", .redirect(to: target.absoluteString))
        for each in [server, other] {
            each.respond(to: "/to") { .ok("\($0["X-One"] ?? "-") \($0["Authorization"] ?? "-")") }
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-One": "one", "Authorization": "Bearer b"]
        configuration.timeoutIntervalForRequest = 10
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        let delegate = RecordingDelegate()
        delegate.redirect = { $0.url.map { URLRequest(url: $0) } }
        let task = OperationURLSession(configuration: configuration, delegate: delegate)
            .dataTask(with: server.url("/from"))
        task.resume()
        await delegate.isComplete.wait()
        #expect(String(decoding: delegate.data, as: UTF8.self) == (leavesOrigin ? "- -" : "one Bearer b"))
        let sent = try #require(task.currentRequest)
        #expect(sent.timeoutInterval == 10 && sent.cachePolicy == .reloadIgnoringLocalCacheData)
    }

    @Test("A redirect that is followed as it was proposed does not get back what its rules dropped")
    func asProposed() async throws {
        server.respond(to: "/from", .redirect(303, to: "/to"))
        server.respond(to: "/to") { .ok("\($0.method) \($0["Content-Type"] ?? "-")") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Content-Type": "text/plain"]
        let delegate = RecordingDelegate()
        var request = URLRequest(url: server.url("/from"))
        request.httpMethod = "POST"
        request.httpBody = Data("content".utf8)
        OperationURLSession(configuration: configuration, delegate: delegate).dataTask(with: request).resume()
        await delegate.isComplete.wait()
        #expect(String(decoding: delegate.data, as: UTF8.self) == "GET -")
    }
}
