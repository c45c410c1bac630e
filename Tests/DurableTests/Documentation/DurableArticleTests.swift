// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import OperationNetworkingDurable
import TestServer
import Testing

/// The snippets of the module's documentation. `DocumentationTests` sees to it that they are the same.
@Suite("The article on durable requests", .timeLimit(.minutes(1)))
struct DurableArticleTests {
    let server: TestServer
    let directory: TemporaryDirectory
    let manager = HTTPRequestOperationManager(baseURL: nil)

    init() throws {
        server = try TestServer()
        directory = try TemporaryDirectory()
        server.respondToOthers { _ in .ok("content") }
        manager.responseSerializer = HTTPResponseSerializer()
    }

    @Test("The first page")
    func first() async throws {
        let (folder, file) = (directory.url, directory.file("detail.txt"))
        let (request, detail) = (URLRequest(url: server.url("/login")), URLRequest(url: server.url("/detail")))
        let store = try SQLiteRequestStore(url: folder.appendingPathComponent("requests.sqlite"))
        let queue = DurableRequestQueue(store: store, manager: manager)
        let login = try await queue.add(request, group: "nightly")
        try await queue.add(detail, group: "nightly", after: [login], priority: .high, destination: file)
        try await queue.run()
        #expect(server.requests.map(\.target) == ["/login", "/detail"])
        #expect(try Data(contentsOf: file) == Data("content".utf8))
    }

    @Test("Go on where it stopped")
    func goOn() async throws {
        let urls = [server.url("/a"), server.url("/b")]
        let store = try SQLiteRequestStore(url: directory.file("requests.sqlite"))
        for _ in 0..<2 {
            let queue = DurableRequestQueue(store: store, manager: manager)
            let requests = try urls.map { url in
                var request = DurableRequest(URLRequest(url: url), id: try .init(name: url.absoluteString))
                request.group = "nightly"
                return request
            }
            try await queue.add(requests)
            try await queue.run()
        }
        #expect(server.requests.count == 2)
    }

    @Test("On many machines")
    func places() async throws {
        let folder = directory.url
        var configuration = DurableRequestQueue.Configuration()
        configuration.destinationResolver = { stored in
            var here = stored
            let name = stored.fileURL.lastPathComponent
            here.fileURL = folder.appendingPathComponent(name)
            return here
        }
        let store = try SQLiteRequestStore(url: directory.file("requests.sqlite"))
        let queue = DurableRequestQueue(store: store, manager: manager, configuration: configuration)
        let destination = URL(fileURLWithPath: "/not-here/a.txt")
        try await queue.add(URLRequest(url: server.url("/a")), destination: destination)
        try await queue.run()
        #expect(try Data(contentsOf: directory.file("a.txt")) == Data("content".utf8))
    }

    @Test("Secrets")
    func secrets() async throws {
        let secrets = try await Tokens().secrets(for: "api", request: URLRequest(url: server.url()))
        #expect(secrets.fields == ["Authorization": "Bearer of api"])
    }
}

private func token(_ reference: String) throws -> String { "of \(reference)" }

private struct Tokens: DurableSecretProvider {
    func secrets(for reference: String, request: URLRequest) async throws -> DurableSecrets {
        DurableSecrets(fields: ["Authorization": "Bearer \(try token(reference))"])
    }
}
