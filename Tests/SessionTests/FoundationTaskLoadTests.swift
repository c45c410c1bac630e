// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// Swift's functions on sessions, many at a time: whose tasks are Foundation's, Foundation's own tables must survive it.
@Suite("Many tasks of Swift's functions at once", .timeLimit(.minutes(2))) struct FoundationTaskLoadTests {
    /// How the session is called.
    enum Face: String, CaseIterable {
        /// By its own type: the library's functions.
        case own
        /// By Foundation's type: the library's functions, too.
        case variable
        /// With a delegate, which is none: Foundation's functions, on the library's session.
        case foundation
        /// Foundation's session, made with the configuration of the library's.
        case standIn
        /// And Foundation's functions on that.
        case foundationStandIn

        private var isStandIn: Bool { self == .standIn || self == .foundationStandIn }
        private var isFoundations: Bool { self == .foundation || self == .foundationStandIn }

        func session() -> URLSession {
            let own = OperationURLSession(configuration: .ephemeral)
            return isStandIn ? URLSession(configuration: own.configuration) : own
        }

        func data(_ url: URL, in session: URLSession) async throws -> Data {
            if self == .own, let session = session as? OperationURLSession {
                return try await session.data(from: url).0
            }
            return try await isFoundations ? session.data(from: url, delegate: nil).0 : session.data(from: url).0
        }

        func upload(_ request: URLRequest, _ content: Data, in session: URLSession) async throws -> Data {
            if self == .own, let session = session as? OperationURLSession {
                return try await session.upload(for: request, from: content).0
            }
            return try await isFoundations
                ? session.upload(for: request, from: content, delegate: nil).0
                : session.upload(for: request, from: content).0
        }

        func download(_ request: URLRequest, in session: URLSession) async throws -> URL {
            if self == .own, let session = session as? OperationURLSession {
                return try await session.download(for: request).0
            }
            return try await isFoundations
                ? session.download(for: request, delegate: nil).0 : session.download(for: request).0
        }
    }

    /// Requests of one face; fewer where ThreadSanitizer watches each.
    private static let count = Patience.factor > 1 ? 800 : 4000

    private func run(_ count: Int, atOnce width: Int, _ work: @escaping @Sendable (Int) async throws -> Void)
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= width { try await group.next() }
                group.addTask { try await work(number) }
            }
            try await group.waitForAll()
        }
    }

    private func server() throws -> TestServer {
        let server = try TestServer()
        server.respondToOthers { request in
            .ok(request.target + String(repeating: "x", count: 1024) + request.text)
        }
        return server
    }

    @Test("Data", arguments: Face.allCases)
    func data(face: Face) async throws {
        let (server, session) = (try server(), face.session())
        try await run(Self.count, atOnce: 32) { number in
            let url = server.url("/\(number)")
            let data = try await face.data(url, in: session)
            #expect(data == Data(("/\(number)" + String(repeating: "x", count: 1024)).utf8))
        }
    }

    @Test("Uploads and downloads", arguments: FoundationInternals.isOff ? [.own, .variable] : Face.allCases)
    func uploadsAndDownloads(face: Face) async throws {
        let (server, session) = (try server(), face.session())
        try await run(Self.count / 2, atOnce: 32) { number in
            var request = URLRequest(url: server.url("/\(number)"))
            let expected = "/\(number)" + String(repeating: "x", count: 1024)
            if number.isMultiple(of: 2) {
                request.httpMethod = "PUT"
                let content = Data("-\(number)".utf8)
                let data = try await face.upload(request, content, in: session)
                #expect(data == Data((expected + "-\(number)").utf8))
            } else {
                let file = try await face.download(request, in: session)
                #expect(try Data(contentsOf: file) == Data(expected.utf8))
                try FileManager.default.removeItem(at: file)
            }
        }
    }

    /// By Foundation's functions, a cancellation that comes with the answer costs a second.
    @Test("Some are cancelled: each call is answered", arguments: Face.allCases)
    func cancellation(face: Face) async throws {
        let (server, session) = (try server(), face.session())
        let answers = Locked((values: 0, cancellations: 0))
        try await run(Self.count / 2, atOnce: 64) { number in
            let url = server.url("/\(number)")
            let call = Task { try await face.data(url, in: session) }
            if number.isMultiple(of: 3) {
                for _ in 0..<(number % 50) { await Task.yield() }
                call.cancel()
            }
            switch await call.result {
            case .success: answers.withLock { $0.values += 1 }
            case .failure(let error):
                #expect((error as? URLError)?.code == .cancelled)
                answers.withLock { $0.cancellations += 1 }
            }
        }
        let (values, cancellations) = answers.withLock { $0 }
        #expect(values + cancellations == Self.count / 2 && values >= Self.count / 3)
    }
}

/// What is left where nothing private of Foundation's is looked at: `OPERATION_NETWORKING_NO_PRIVATE_STATE`.
@Suite("Without Foundation's private state", .enabled(if: FoundationInternals.isOff), .timeLimit(.minutes(1)))
struct WithoutPrivateStateTests {
    @Test("Uploads and downloads of Foundation's functions fail with an error that says what to call")
    func errors() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let session: URLSession = OperationURLSession(configuration: .ephemeral)
        var request = URLRequest(url: server.url())
        #expect(try await session.data(for: request).0 == Data("hello".utf8))
        for _ in 0..<100 {
            let error = await #expect(throws: URLError.self) { try await session.download(for: request, delegate: nil) }
            #expect(error?.code == .unsupportedURL && "\(error as Any)".contains("OperationURLSession"))
        }
        request.httpMethod = "PUT"
        for _ in 0..<100 {
            let error = await #expect(throws: URLError.self) {
                try await session.upload(for: request, from: Data("x".utf8), delegate: nil)
            }
            #expect(error?.code == .unsupportedURL && "\(error as Any)".contains("OperationURLSession"))
        }
    }
}
