// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

/// A public report about some client as an exchange: what a server sends, byte by byte, and what has to come of it here.
struct Exchange: Sendable, CustomTestStringConvertible {
    /// One answer of the server.
    enum Answer: Sendable {
        /// Bytes, as Latin-1 text, on a connection that stays.
        case bytes(String)
        /// Bytes, as Latin-1 text, behind which the connection is closed.
        case last(String)
        /// Anything else that the server can do.
        case scripted(ScriptedResponse)
    }

    /// What comes of the last request.
    enum Outcome: Sendable {
        /// Success, with this text.
        case text(String)
        /// Success, with these bytes.
        case data([UInt8])
        /// A response with this status, be it success or not.
        case status(Int)
        /// A `URLError`.
        case failure(URLError.Code)
        /// Anything, as long as it comes in time.
        case any
    }

    /// The project and the number of the report: "curl#1234".
    let reference: String
    /// What it is about.
    let what: String
    /// In the order of the requests; the last one answers all further ones.
    let answers: [Answer]
    /// The paths that are asked for, one after the other, by one manager with a cache and cookies of its own.
    var paths = ["/"]
    var method = "GET"
    var fields: [String: String] = [:]
    var body: String?
    /// Changes each request.
    var change: @Sendable (inout URLRequest) -> Void = { _ in }
    /// Changes the manager.
    var configure: @Sendable (HTTPRequestOperationManager) -> Void = { _ in }
    let outcome: Outcome
    /// The requests that the server has to have seen, as "GET /path"; nil: it does not matter.
    var requests: [String]?
    /// Fields of the last request: a value, or nil where there must be none.
    var sent: [String: String?] = [:]
    /// Fields of the last response.
    var received: [String: String?] = [:]

    var testDescription: String { "\(reference): \(what)" }

    /// Sends the requests and looks at what comes of them.
    func run() async throws {
        let server = try TestServer()
        let remaining = Answers(answers)
        server.respondToOthers { _ in remaining.next() }
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.urlCache = OperationURLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        manager.cookieStorage = URLSessionConfiguration.ephemeral.httpCookieStorage
        manager.completionQueue = DispatchQueue(label: "reports")
        configure(manager)
        var operation: HTTPRequestOperation?
        for path in paths {
            var request = URLRequest(url: server.url(path))
            request.httpMethod = method
            request.timeoutInterval = 5 * Patience.factor
            for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
            request.httpBody = body.map { Data($0.utf8) }
            change(&request)
            let current = manager.httpRequestOperation(with: request)
            manager.enqueue(current)
            _ = try? await current.value()
            operation = current
        }
        let last = try #require(operation)
        #expect(last.isFinished)
        check(last)
        if let requests {
            #expect(server.requests.map { "\($0.method) \($0.target)" } == requests, Comment(rawValue: testDescription))
        }
        for (name, value) in sent {
            #expect(server.requests.last?[name] == value, "\(testDescription): \(name)")
        }
        for (name, value) in received {
            #expect(last.response?.value(forHTTPHeaderField: name) == value, "\(testDescription): \(name)")
        }
    }

    private func check(_ operation: HTTPRequestOperation) {
        let comment = Comment(rawValue: "\(testDescription) (\(operation.error.map { "\($0)" } ?? "no error"))")
        switch outcome {
        case .text(let text):
            #expect(operation.error == nil && operation.responseString == text, comment)
        case .data(let bytes):
            #expect(operation.error == nil && operation.responseData == Data(bytes), comment)
        case .status(let status):
            #expect(operation.response?.statusCode == status, comment)
        case .failure(let code):
            #expect((operation.error as? URLError)?.code == code, comment)
        case .any:
            break
        }
    }

    /// Hands the answers out.
    private final class Answers: Sendable {
        private let rest: Locked<[Answer]>

        init(_ answers: [Answer]) { rest = Locked(answers) }

        func next() -> ScriptedResponse {
            let answer = rest.withLock { rest -> Answer? in rest.count > 1 ? rest.removeFirst() : rest.first }
            switch answer {
            case .bytes(let text): return .script([.send(Self.octets(text))])
            case .last(let text): return .script([.send(Self.octets(text)), .close])
            case .scripted(let response): return response
            case nil: return .status(500)
            }
        }

        private static func octets(_ text: String) -> Data {
            Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        }
    }
}
