// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworkingTestServer
import OperationNetworkingTestingTraits
import TestServer
import Testing

import OperationNetworking
import OperationNetworkingTesting

/// The snippets of the module's documentation, run as the tests that they are. `DocumentationTests` sees to it that they are
/// the same.
@Suite("The article on testing without a network", .timeLimit(.minutes(1)))
struct ArticleTests {
    private struct Book: Codable, Sendable {
        let title: String
    }

    /// A client that makes its own manager.
    private struct Library {
        private let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.org/v1/"))

        func title(ofBook number: Int) async throws -> String {
            try await manager.makeOperation(method: "GET", "books/\(number)").decoded(Book.self).title
        }

        func add(_ title: String) async throws {
            manager.requestSerializer = JSONRequestSerializer()
            _ = try await manager.makeOperation(method: "POST", "books", parameters: ["title": title]).data()
        }
    }

    @Test("The first page")
    func first() async throws {
        let manager = makeManager()
        let stubs = HTTPStubs()
        stubs.on("GET", "https://api.example.org/v1/books/{id}", respond: .json(["title": "The Dispossessed"]))
        stubs.install(on: manager)
        let book = try await manager.makeOperation(method: "GET", "books/7").decoded(Book.self)
        #expect(book.title == "The Dispossessed")
    }

    @Test("Rules, installation, verification")
    func rules() async throws {
        let stubs = HTTPStubs()
        stubs.on("GET", "https://api.example.org/v1/books/{id}", respond: .json(["title": "The Dispossessed"]))
        stubs.on("GET", "/v1/books?page=*", headers: ["Accept-Language": "en"], respond: .json(["The Dispossessed"]))
        stubs.on("POST", "/v1/books") { request in
            let book = try JSONDecoder().decode(Book.self, from: request.httpBody ?? Data())
            return book.title.isEmpty ? StubResponse(status: 422) : .json(book, status: 201)
        }

        let title = try await stubs.withInstalled {
            try await Library().title(ofBook: 7)
        }
        #expect(title == "The Dispossessed")

        try await stubs.withInstalled { try await Library().add("The Lathe of Heaven") }
        try await stubs.waitForRequests(2)
        #expect(
            stubs.requests.map(\.description) == [
                "GET https://api.example.org/v1/books/7", "POST https://api.example.org/v1/books",
            ])
        #expect(try stubs.requests[1].decoded(Book.self).title == "The Lathe of Heaven")
    }

    @Test(.httpStubs { $0.on("GET", "/v1/books/7", respond: .json(["title": "The Dispossessed"])) })
    func title() async throws {
        #expect(try await Library().title(ofBook: 7) == "The Dispossessed")
        #expect(HTTPStubs.current?.requests.count == 1)
    }

    @Test("Behind a socket: the first page of OperationNetworkingTestServer")
    func server() async throws {
        let stubs = HTTPStubs()
        stubs.on("GET", "/v1/books/{id}", respond: .json(["title": "The Dispossessed"]))
        let server = try HTTPStubServer(stubs)
        let client = HTTPRequestOperationManager(baseURL: server.baseURL)
        let book = try await client.makeOperation(method: "GET", "v1/books/7").decoded(Book.self)
        #expect(book.title == "The Dispossessed")
        #expect(stubs.requests.count == 1)

        let identity = try HTTPStubServer.Identity()
        let secure = try HTTPStubServer(stubs, identity: identity)
        let trusting = HTTPRequestOperationManager(baseURL: secure.baseURL)
        trusting.securityPolicy.anchorCertificates = [identity.authority]
        #expect(try await trusting.makeOperation(method: "GET", "v1/books/7").decoded(Book.self).title == book.title)
    }

    @Test("Virtual time")
    func virtualTime() async throws {
        try await withSimulation(interleavings: 20) { simulation in
            let stubs = HTTPStubs()
            stubs.on(
                "GET", "/v1/books/7",
                respond: .sequence([
                    StubResponse(status: 503, headers: ["Retry-After": "900"]), .json(["title": "The Dispossessed"]),
                ]))
            let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.org/v1/"))
            manager.retryPolicy = RetryPolicy(backoff: .exponential(initial: 1, factor: 2, maximum: 3600))
            stubs.install(on: manager)
            let book = try await manager.makeOperation(method: "GET", "books/7").decoded(Book.self)
            #expect(book.title == "The Dispossessed")
            #expect(simulation.clock.now.offset >= .seconds(900))
        }
    }

    @Test("A cassette")
    func cassette() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("books.har")
        let server = try TestServer()
        server.respond(to: "/books/7") { _ in
            ScriptedResponse(
                headers: [("Content-Type", "application/json")], body: .text(#"{"title": "The Dispossessed"}"#))
        }
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://127.0.0.1:\(server.port)/"))
        let recorded = try await { () -> Book in
            let cassette = try Cassette(file, mode: .replayOrRecord)
            cassette.stubs.install(on: manager)
            let book = try await manager.makeOperation(method: "GET", "books/7").decoded(Book.self)
            try cassette.finish()
            return book
        }()
        #expect(recorded.title == "The Dispossessed")
        server.stop()
        try Cassette(file).stubs.install(on: manager)
        #expect(try await manager.makeOperation(method: "GET", "books/7").decoded(Book.self).title == recorded.title)
    }
}
