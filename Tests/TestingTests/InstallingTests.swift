// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworkingImages
import OperationNetworkingTesting
import OperationNetworkingTestingTraits
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// Whose requests stubs answer.
@Suite("Installing stubs", .timeLimit(.minutes(1)))
struct InstallingTests {
    private let url = URL(string: "https://api.example.org/v1/x")

    private func stubs(_ text: String) -> HTTPStubs {
        let stubs = HTTPStubs()
        stubs.on("GET", "/v1/x", respond: .text(text))
        return stubs
    }

    private func text(_ manager: HTTPRequestOperationManager) async throws -> String {
        manager.responseSerializer = HTTPResponseSerializer()
        return String(decoding: try await manager.request("x").data().0, as: UTF8.self)
    }

    @Test("The nearest stubs answer: an operation's, a manager's, the task's, the process's")
    func nearest() async throws {
        let manager = makeManager()
        let answers = try await stubs("task").withInstalled {
            var answers = [try await text(manager)]
            stubs("manager").install(on: manager)
            answers.append(try await text(manager))
            let operation = manager.request("x")
            stubs("operation").install(on: operation)
            answers.append(String(decoding: try await operation.data().0, as: UTF8.self))
            HTTPStubs.uninstall(from: manager)
            return answers + [try await text(manager)]
        }
        #expect(answers == ["task", "manager", "operation", "task"])
    }

    @Test("Operations that a block of a stubbed operation makes are answered, too")
    func blocks() async throws {
        let stubs = stubs("first")
        stubs.on("GET", "/v1/y", respond: .text("second"))
        let manager = makeManager()
        manager.responseSerializer = HTTPResponseSerializer()
        let second = await stubs.withInstalled {
            await withCheckedContinuation { continuation in
                manager.get(
                    "x", parameters: nil,
                    success: { _, _ in
                        continuation.resume(returning: manager.request("y"))
                    }, failure: nil)
            }
        }
        #expect(try await second.data().0 == Data("second".utf8))
    }

    @Test("A session's tasks are answered, and so is Foundation's data(for:)")
    func sessions() async throws {
        let session = OperationURLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let url = try #require(url)
        let stubs = stubs("session")
        stubs.install(on: session)
        #expect(try await session.data(from: url).0 == Data("session".utf8))
        let data = await withCheckedContinuation { continuation in
            session.dataTask(with: url) { data, _, _ in continuation.resume(returning: data) }.resume()
        }
        #expect(data == Data("session".utf8))
        let upload = URLRequest(url: url)
        stubs.on("POST", "/v1/x", respond: StubResponse(status: 201))
        let status = await withCheckedContinuation { continuation in
            var request = upload
            request.httpMethod = "POST"
            session.uploadTask(with: request, from: Data("up".utf8)) { _, response, _ in
                continuation.resume(returning: (response as? HTTPURLResponse)?.statusCode)
            }.resume()
        }
        #expect(status == 201)
        #expect(stubs.requests.last?.bodyText == "up")
    }

    @Test("A session manager's tasks are answered, also by its next session")
    func sessionManagers() async throws {
        let folder = try TemporaryDirectory()
        let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/v1/"))
        defer { manager.invalidateSessionCancelingTasks(true) }
        manager.completionQueue = DispatchQueue(label: "TestingTests")
        let stubs = stubs("manager")
        stubs.install(on: manager)
        for number in 0..<2 {
            let url = try #require(url)
            let target = folder.file("\(number)")
            let file = await withCheckedContinuation { continuation in
                let task = manager.downloadTask(
                    with: URLRequest(url: url), destination: { _, _ in target },
                    completionHandler: { _, file, _ in continuation.resume(returning: file) })
                task.resume()
            }
            #expect(try Data(contentsOf: #require(file)) == Data("manager".utf8))
            manager.invalidateSessionCancelingTasks(true, resetSession: true)
        }
        #expect(stubs.requests.count == 2)
    }

    @Test("Tasks that a block of a session manager's stubbed task makes are answered, too")
    func sessionBlocks() async throws {
        let stubs = stubs("first")
        stubs.on("GET", "/v1/y", respond: .text("second"))
        let manager = HTTPSessionManager(
            baseURL: URL(string: "https://api.example.org/v1/"), sessionConfiguration: .ephemeral)
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "TestingTests")
        let content = await stubs.withInstalled {
            await withCheckedContinuation { (continuation: CheckedContinuation<Data?, Never>) in
                manager.get("x", parameters: nil, headers: nil, progress: nil) { _, _ in
                    manager.get("y", parameters: nil, headers: nil, progress: nil) { _, content in
                        continuation.resume(returning: content as? Data)
                    } failure: { _, _ in
                        continuation.resume(returning: nil)
                    }
                } failure: { _, _ in
                    continuation.resume(returning: nil)
                }
            }
        }
        #expect(content == Data("second".utf8))
        #expect(stubs.requests.count == 2)
    }

    @Test("Images that have to wait for others are answered, too")
    func images() async throws {
        let stubs = HTTPStubs()
        let pixel = try #require(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg=="
            ))
        stubs.on(
            "GET", "https://images.invalid/*",
            respond: StubResponse(headers: ["Content-Type": "image/png"], body: pixel))
        let downloader = ImageDownloader(
            sessionManager: HTTPSessionManager(baseURL: nil, sessionConfiguration: .ephemeral),
            maximumActiveDownloads: 2)
        let widths = try await stubs.withInstalled {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    let request = try makeRequest("https://images.invalid/\(number)")
                    group.addTask { try await downloader.image(for: request).width }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(widths == Array(repeating: 1, count: 8))
        #expect(stubs.requests.count == 8)
    }

    @Test("An image that two tests ask one downloader for at the same time comes from the stubs of each")
    func sharedDownloader() async throws {
        func image(_ base64: String) throws -> StubResponse {
            StubResponse(headers: ["Content-Type": "image/png"], body: try #require(Data(base64Encoded: base64)))
        }
        let small = try image(
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==")
        let large = try image(
            "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAADklEQVR4nGNIgAIGGAMANhIGAdwIHaIAAAAASUVORK5CYII=")
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        let downloader = ImageDownloader(
            sessionManager: HTTPSessionManager(baseURL: nil, sessionConfiguration: configuration), imageCache: nil)
        let request = try makeRequest("https://images.invalid/x")
        let first = HTTPStubs()
        let second = HTTPStubs()
        first.on("GET", "https://images.invalid/x") { _ in
            // Under way until the other one is.
            try await second.waitForRequests(1)
            return small
        }
        second.on("GET", "https://images.invalid/x", respond: large)
        let task = Task { try await first.withInstalled { try await downloader.image(for: request).width } }
        try await first.waitForRequests(1)
        let width = try await second.withInstalled { try await downloader.image(for: request).width }
        #expect(width == 2)
        let other = try await task.value
        #expect(other == 1)
        #expect(first.requests.count == 1 && second.requests.count == 1)
    }

    @Test("Parallel tests have stubs of their own", .httpStubs(), arguments: 0..<8)
    func parallel(number: Int) async throws {
        let stubs = try #require(HTTPStubs.current)
        stubs.on("GET", "/v1/x", respond: .text("\(number)"))
        let manager = makeManager()
        for _ in 0..<5 { #expect(try await text(manager) == "\(number)") }
        #expect(stubs.requests.count == 5)
    }

    @Test("The trait makes an issue of what no rule fits", .httpStubs { $0.on("GET", "/v1/x", respond: .text("x")) })
    func unmatched() async throws {
        #expect(try await text(makeManager()) == "x")
        let inner = HTTPStubsTrait.httpStubs { _ in }
        let test = try #require(Test.current)
        try await withKnownIssue {
            try await inner.provideScope(for: test, testCase: Test.Case.current) {
                _ = await makeManager().request("y").failure()
            }
        } matching: {
            $0.error is UnmatchedRequestError
        }
    }

    @Test("The trait makes an issue of what no rule fits also where the test throws")
    func unmatchedAndThrown() async throws {
        let inner = HTTPStubsTrait.httpStubs { _ in }
        let test = try #require(Test.current)
        let errors = Locked<[String]>([])
        try await withKnownIssue {
            try await inner.provideScope(for: test, testCase: Test.Case.current) {
                _ = await makeManager().request("y").failure()
                throw CancellationError()
            }
        } matching: { issue in
            errors.withLock { $0.append(issue.error.map { "\(type(of: $0))" } ?? "") }
            return true
        }
        #expect(Set(errors.withLock { $0 }) == ["UnmatchedRequestError", "CancellationError"])
    }

    @Test("What passes through goes to the server, with its content")
    func passthrough() async throws {
        let server = try TestServer()
        defer { server.stop() }
        server.respond(to: "/echo") { request in .ok(String(decoding: request.body, as: UTF8.self)) }
        let stubs = HTTPStubs()
        stubs.on(nil, "/echo", respond: .passthrough)
        let manager = makeManager(stubs)
        manager.responseSerializer = HTTPResponseSerializer()
        let request = try makeRequest(
            "http://127.0.0.1:\(server.port)/echo", method: "POST", body: Data("hello".utf8))
        let operation = manager.httpRequestOperation(with: request)
        #expect(try await operation.data().0 == Data("hello".utf8))
        #expect(operation.metrics?.remotePort == server.port)
    }
}

/// Apart and serialized, because it is for all operations of the process.
@Suite("Stubs for the process", .serialized, .timeLimit(.minutes(1)))
struct ProcessStubTests {
    @Test("They answer what is made outside of any task, until they are removed")
    func process() async throws {
        let stubs = HTTPStubs()
        // Other tests run meanwhile: what is not asked here goes to its server.
        stubs.on("GET", "https://process.invalid/*", respond: .text("process"))
        stubs.on(nil, "*", respond: .passthrough)
        let installation = stubs.installOnProcess()
        let request = try makeRequest("https://process.invalid/x")
        let operation = await Task.detached { HTTPRequestOperation(request: request) }.value
        installation.remove()
        installation.remove()
        #expect(try await operation.data().0 == Data("process".utf8))
        let later = await Task.detached { HTTPRequestOperation(request: request) }.value
        #expect((await later.failure() as? URLError)?.code == .cannotFindHost)
    }
}
