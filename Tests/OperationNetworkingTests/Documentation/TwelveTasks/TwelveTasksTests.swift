// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking
internal import TestServer
internal import Testing

/// The code of this library in Documentation/TwelveTasks.md does what the tasks say.
@Suite("Twelve tasks", .timeLimit(.minutes(1)))
struct TwelveTasksTests {
    private let server: TestServer
    private let manager: HTTPRequestOperationManager
    private let book = Book(title: "Lavinia")

    init() throws {
        server = try TestServer()
        manager = .offMain(server.url("/v1/"))
        server.respond(to: "/v1/books/1", .json(#"{"title": "Lavinia"}"#))
        server.respondToOthers { _ in .status(404) }
    }

    @Test("GET into a Decodable")
    func decode() async throws {
        #expect(try await OperationNetworkingTasks.decode(manager) == book)
    }

    @Test("A form, and JSON")
    func formAndJSON() async throws {
        server.respond(to: "/v1/form") { .json(#"{"title": "\#($0["Content-Type"] ?? "") \#($0.text)"}"#) }
        server.respond(to: "/v1/json") { .json($0.text) }
        let books = try await OperationNetworkingTasks.formAndJSON(manager, book)
        #expect(books.first?.title == "application/x-www-form-urlencoded title=Lavinia")
        #expect(books.last == book && server.requests.last?["Content-Type"]?.hasPrefix("application/json") == true)
    }

    @Test("An upload")
    func upload() async throws {
        let folder = try TemporaryDirectory()
        try Data("cover".utf8).write(to: folder.file("cover.txt"))
        server.respond(to: "/v1/covers", .json("{}"))
        try await OperationNetworkingTasks.upload(manager, folder.file("cover.txt"))
        #expect(server.requests.last?.text.contains(#"name="cover"; filename="cover.txt""#) == true)
    }

    @Test("Downloads that are cancelled")
    func download() async throws {
        let folder = try TemporaryDirectory()
        let names = (1...20).map { "file-\($0)" }
        for name in names { server.respond(to: "/v1/\(name)", .stalled()) }
        try OperationNetworkingTasks.download(manager, names, to: URL(fileURLWithPath: folder.path))
        await blocking { manager.operationQueue.waitUntilAllOperationsAreFinished() }
        #expect(manager.operationQueue.maxConcurrentOperationCount == 4)
        #expect(server.requests.count <= 4)
    }

    @Test("A login, then ten requests")
    func logIn() async throws {
        server.respond(to: "/v1/login", .json(#"{"token": "t"}"#))
        for number in 1...10 {
            server.respond(to: "/v1/pages/\(number)") {
                $0["Authorization"] == "Bearer t" ? .json(#"{"number": \#(number)}"#) : .status(401)
            }
        }
        let pages = try await OperationNetworkingTasks.logIn(manager, ["user": "ada"])
        #expect(pages.map(\.number) == Array(1...10))
    }

    @Test("A retry")
    func retry() async throws {
        let other = try TestServer()
        other.enqueue(.status(503), .json(#"{"title": "Lavinia"}"#))
        #expect(try await OperationNetworkingTasks.retry(.offMain(other.url("/v1/"))) == book)
        #expect(other.requests.count == 2)
    }

    @Test("A token that is refused")
    func refresh() async throws {
        server.respond(to: "/v1/books/1") {
            $0["Authorization"] == "Bearer t" ? .json(#"{"title": "Lavinia"}"#) : .status(401)
        }
        #expect(try await OperationNetworkingTasks.refresh(manager) { "t" } == book)
        #expect(server.requests.count == 2)
    }

    @Test("A pinned key: another server is refused")
    func pin() async throws {
        let identity = try TestCertificateAuthority().issue(dnsNames: ["localhost"])
        let other = try TestServer(tls: TLSSettings(identity))
        let manager = HTTPRequestOperationManager.offMain(other.url("/v1/", host: "localhost"))
        let error = await #expect(throws: URLError.self) {
            try await OperationNetworkingTasks.pin(manager, try #require(identity.chain.last).der)
        }
        #expect(error?.userInfo[NSUnderlyingErrorKey] is ServerTrustError)
        #expect(other.requests.isEmpty)
    }

    @Test("A download that an earlier run began")
    func resume() async throws {
        let folder = try TemporaryDirectory()
        let content = ScriptedResponse.pattern(count: 100_000)
        server.respond(to: "/v1/large.bin", .ranged(content, etag: "\"1\""))
        try await OperationNetworkingTasks.resume(manager, folder.file("large.bin"))
        #expect(try Data(contentsOf: folder.file("large.bin")) == content)
    }

    @Test("A limit for each host")
    func limit() {
        OperationNetworkingTasks.limit(manager)
        #expect((manager.operationQueue as? RequestOperationQueue)?.maxConcurrentOperationsPerHost == 2)
    }

    @Test("Lines")
    func lines() async throws {
        server.respond(to: "/v1/log", .ok("first\nsecond\n"))
        try await OperationNetworkingTasks.lines(manager)
        #expect(server.requests.count == 1)
    }
}
