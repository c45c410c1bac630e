// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import TestTLS
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// What loads for sessions of Foundation's that were made with the configuration of one of this library's.
@Suite("Stand-in sessions", .timeLimit(.minutes(1))) struct StandInSessionTests {
    private let configuration = OperationURLSession(configuration: .ephemeral).configuration

    /// Notes where it is called, and by which session.
    private final class Witness: NSObject, URLSessionDataDelegate, Sendable {
        let events = Notes<String>()
        let sessions = Notes<ObjectIdentifier>()
        let queues = Notes<ObjectIdentifier?>()
        let content = Notes<Data>()
        let isComplete = Gate()

        private func note(_ event: String, _ session: URLSession) {
            events.add(event)
            sessions.add(ObjectIdentifier(session))
            queues.add(OperationQueue.current.map(ObjectIdentifier.init))
        }

        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            note("server", session)
            guard let server = challenge.protectionSpace.untrustedServer else {
                return completionHandler(.performDefaultHandling, nil)
            }
            completionHandler(.useCredential, .accepting(server))
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @Sendable @escaping (URLRequest?) -> Void
        ) {
            note("redirect", session)
            completionHandler(request)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            note("challenge", session)
            completionHandler(.useCredential, URLCredential(user: "user", password: "secret", persistence: .none))
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            note("data", session)
            content.add(data)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            note("metrics", session)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            note(error == nil ? "complete" : "error", session)
            isComplete.open()
        }
    }

    @Test("Foundation's session is the one that its delegate knows, and all calls are on its queue", .privateState)
    func delegate() async throws {
        let server = try TestServer()
        server.respond(to: "/from", .redirect(307, to: "/to"))
        server.respond(to: "/to") { request in
            guard request["Authorization"] != nil else {
                return ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
            }
            return .ok("hello")
        }
        let (queue, witness) = (OperationQueue(), Witness())
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: configuration, delegate: witness, delegateQueue: queue)
        session.dataTask(with: server.url("/from")).resume()
        await witness.isComplete.wait()
        let events = witness.events.all
        #expect(events.prefix(2) == ["redirect", "challenge"] && events.last == "complete")
        #expect(Set(events) == ["redirect", "challenge", "data", "metrics", "complete"] && events.count == 5)
        #expect(witness.content.all == [Data("hello".utf8)])
        #expect(witness.sessions.all.allSatisfy { $0 == ObjectIdentifier(session) })
        #expect(witness.queues.all.allSatisfy { $0 == ObjectIdentifier(queue) })
    }

    @Test("The delegate of Foundation's session is asked whether to trust a server", .privateState)
    func trust() async throws {
        let server = try TestServer(tls: TLSSettings(try TestCertificateAuthority().issueForLocalhost()))
        server.respondToOthers { _ in .ok("hello") }
        let (queue, witness) = (OperationQueue(), Witness())
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: configuration, delegate: witness, delegateQueue: queue)
        session.dataTask(with: server.url()).resume()
        await witness.isComplete.wait()
        #expect(witness.events.all.first == "server" && witness.events.all.last == "complete")
        #expect(witness.content.all == [Data("hello".utf8)])
        #expect(witness.sessions.all.allSatisfy { $0 == ObjectIdentifier(session) })
        #expect(witness.queues.all.allSatisfy { $0 == ObjectIdentifier(queue) })
    }

    @Test("It goes with the session that it stands in for")
    func lifetime() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        weak var standIn: OperationURLSession?
        do {
            let session = URLSession(configuration: configuration)
            let shown = try #require(session.configuration as? SessionConfiguration)
            standIn = shown.standInSession
            #expect(standIn === shown.standInSession)
            #expect(await session.outcome(URLRequest(url: server.url())).text == "hello")
            session.finishTasksAndInvalidate()
        }
        try await eventually("the stand-in goes") { standIn == nil }
    }

    @Test("Each session loads with its own settings, also of configurations that were changed later")
    func settings() async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0["X-Session"] ?? "none") }
        let own = URLSessionConfiguration.ephemeral
        own.httpAdditionalHeaders = ["X-Session": "own"]
        let session = OperationURLSession(configuration: own)
        let changed = session.configuration
        changed.httpAdditionalHeaders = ["X-Session": "changed"]
        changed.timeoutIntervalForRequest = 7
        let sessions = (0..<20).map { number in
            let copy = changed.copied()
            copy.httpAdditionalHeaders = ["X-Session": "\(number)"]
            return URLSession(configuration: copy)
        }
        #expect(sessions[3].configuration.timeoutIntervalForRequest == 7)
        for (number, session) in sessions.enumerated() {
            #expect(await session.outcome(URLRequest(url: server.url())).text == "\(number)")
        }
        #expect(await URLSession(configuration: changed).outcome(URLRequest(url: server.url())).text == "changed")
        #expect(try await session.data(from: server.url()).0 == Data("own".utf8))
        let asFoundations: URLSession = session
        #expect(try await asFoundations.data(from: server.url()).0 == Data("own".utf8))
        #expect(session.configuration.httpAdditionalHeaders as? [String: String] == ["X-Session": "own"])
    }

    @Test("A session of ours that is made with the configuration of another has its settings, and no class of it")
    func configurationOfAnother() async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0["X-Session"] ?? "none") }
        let own = URLSessionConfiguration.ephemeral
        own.httpAdditionalHeaders = ["X-Session": "own"]
        let first = OperationURLSession(configuration: own)
        let second = OperationURLSession(configuration: first.configuration)
        let classes = try [first, second].map { session in
            try #require(session.configuration.protocolClasses).filter { $0 is SessionURLProtocol.Type }
        }
        #expect(classes.allSatisfy { $0.count == 1 } && classes[0][0] != classes[1][0])
        let asFoundations: URLSession = second
        #expect(try await asFoundations.data(from: server.url()).0 == Data("own".utf8))
    }
}
