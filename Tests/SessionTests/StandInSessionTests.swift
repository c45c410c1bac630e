// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import TestTLS
import Testing

@testable import OperationNetworking

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

    @Test("Foundation's session is the one that its delegate knows, and all calls are on its queue")
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

    @Test("The delegate of Foundation's session is asked whether to trust a server")
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

    @Test("One that has nothing to do goes, and another one is made when it is needed")
    func idle() async throws {
        let sessions = StandInSessions(idleTime: 0.02)
        let session = URLSession(configuration: configuration)
        let other = URLSession(configuration: configuration)
        weak var standIn: OperationURLSession?
        do {
            let first = sessions.session(for: session)
            standIn = first
            #expect(sessions.session(for: session) === first && sessions.session(for: other) !== first)
        }
        try await eventually("the stand-in goes") { standIn == nil }
        let server = try TestServer()
        server.respond(to: "/", .ok("again"))
        #expect(await sessions.session(for: session).outcome(server.url()).text == "again")
    }

    @Test("One that loads stays until it has nothing to do")
    func busy() async throws {
        let server = try TestServer()
        let isAsked = Gate()
        server.respond(to: "/", .script([.open(isAsked), .stall]))
        let sessions = StandInSessions(idleTime: 0.02)
        let session = URLSession(configuration: configuration)
        weak var standIn: OperationURLSession?
        let task: URLSessionTask
        do {
            let first = sessions.session(for: session)
            standIn = first
            task = first.dataTask(with: server.url())
        }
        task.resume()
        await isAsked.wait()
        // What was there as long, without anything to do, is gone: so it was looked at.
        for _ in 0..<3 {
            let other = URLSession(configuration: configuration)
            weak var idle: OperationURLSession?
            idle = sessions.session(for: other)
            try await eventually("the idle one goes") { idle == nil }
        }
        #expect(standIn != nil && sessions.session(for: session) === standIn)
        task.cancel()
        try await eventually("the stand-in goes") { standIn == nil }
    }
}
