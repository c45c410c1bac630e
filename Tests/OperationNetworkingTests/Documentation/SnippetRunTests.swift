// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking
internal import TestServer
internal import Testing

/// The documents' snippets do what the text around them says.
@Suite("Snippets of the documents, run", .timeLimit(.minutes(1))) struct SnippetRunTests {
    private let server: TestServer
    private let base: URL

    init() throws {
        server = try TestServer()
        base = server.url("/v1/")
        server.respond(to: "/v1/books/1", .json(#"{"title": "Lavinia"}"#))
        server.respond(to: "/v1/covers/1", .ok("cover"))
        server.respondToOthers { _ in .status(404) }
    }

    private func manager() -> HTTPRequestOperationManager { .offMain(base) }

    @Test("Be told by blocks")
    func blocks() async throws {
        server.respond(to: "/v1/books", .json("[]"))
        let manager = ReadmeSnippets.blocks(base)
        let request = try await server.nextRequest()
        #expect(request.method == "GET" && request.target == "/v1/books?author=Le%20Guin&page=1")
        await blocking { manager.operationQueue.waitUntilAllOperationsAreFinished() }
    }

    @Test("Log in, then use the token")
    func logIn() async throws {
        server.respond(to: "/v1/login", .json(#"{"token": "t"}"#))
        server.respond(to: "/v1/profile") { .json(#"{"token": "\#($0["Authorization"] ?? "")"}"#) }
        let profile = try ReadmeSnippets.logIn(manager(), password: "p")
        #expect((try await profile.value() as? [String: String]) == ["token": "Bearer t"])
        #expect(server.requests.map(\.text) == ["password=p&user=ada", ""])
    }

    @Test("Log in, and fail: the dependant is not sent")
    func failedLogin() async throws {
        let profile = try ReadmeSnippets.logIn(manager(), password: "p")
        await #expect(throws: (any Error).self) { try await profile.value() }
        #expect(server.requests.map(\.target) == ["/v1/login"])
    }

    @Test("Download a batch to files, and cancel one")
    func batches() async throws {
        let folder = try TemporaryDirectory()
        for name in ["a", "b"] { server.respond(to: "/v1/files/\(name)", .ok("content of \(name)")) }
        let batch = try ReadmeSnippets.downloadBatch(
            manager(), names: ["a", "b"], folder: URL(fileURLWithPath: folder.path))
        #expect(await batch.value().allSatisfy { $0.error == nil })
        #expect(try String(contentsOf: folder.file("b"), encoding: .utf8) == "content of b")
        server.respond(to: "/v1/files/c", .stalled())
        let second = try ReadmeSnippets.downloadBatch(
            manager(), names: ["c"], folder: URL(fileURLWithPath: folder.path))
        second.completionQueue = DispatchQueue(label: "test.batch")
        ReadmeSnippets.cancelGroup(second)
        #expect(await second.value().allSatisfy { ($0.error as? URLError)?.code == .cancelled })
    }

    @Test("async/await")
    func asyncAwait() async throws {
        #expect(try await ReadmeSnippets.asyncAwait(manager()) == "Lavinia")
    }

    @Test("A subclassed manager, with blocks that are set first")
    func subclass() async throws {
        server.respond(to: "/v1/covers/1", .json("{}"))
        let client = BooksClient(baseURL: base)
        MigrationSnippets.setQueue(client)
        let operation = try MigrationSnippets.setBlocksFirst(client)
        let tokens = MigrationSnippets.observe(operation)
        _ = try await operation.value()
        #expect(server.requests.last?["X-Client-Version"] == "1" && tokens.count == 2)
        MigrationSnippets.tellErrors(operation)
    }

    @Test("What a session manager did")
    func sessionManager() async throws {
        let cover = try MigrationSnippets.sessionManager(manager())
        #expect(try await cover.value() as? Data == Data("cover".utf8))
    }

    @Test("What Alamofire did")
    func alamofire() async throws {
        server.respond(to: "/v1/books") { .json($0.text, status: 201) }
        #expect(try await MigrationSnippets.alamofire(base) == Book(title: "Lavinia"))
        #expect(server.requests.last?["Content-Type"] == "application/json")
    }

    @Test("What URLSession did")
    func session() async throws {
        let request = URLRequest(url: server.url("/v1/covers/1"))
        #expect(try await MigrationSnippets.session(request) == Data("cover".utf8))
        let missing = URLRequest(url: server.url("/v1/missing"))
        let failed = await MigrationSnippets.taskGroup([request, missing, request])
        #expect(failed.map(\.request.url) == [missing.url])
    }
}
