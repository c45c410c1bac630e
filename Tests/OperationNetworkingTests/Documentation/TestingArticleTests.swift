// SPDX-License-Identifier: MIT
import Dispatch
import OperationNetworking
import TestServer
import Testing

/// The snippets of the article on testing, run as the tests that they are. `DocumentationTests` sees to it that they are
/// the same.
@Suite("The article on testing", .timeLimit(.minutes(1)))
struct TestingArticleTests {
    private struct Book: Decodable, Sendable {
        let title: String
    }

    @Test("An operation that was not started holds its request")
    func requests() throws {
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.com/v1/"))
        let operation = try manager.makeOperation(method: "GET", "books", parameters: ["page": 2])
        #expect(operation.request.url?.absoluteString == "https://api.example.com/v1/books?page=2")
    }

    @Test("A suspended queue shows what was enqueued")
    func suspendedQueue() {
        let queue = RequestOperationQueue()
        queue.isSuspended = true
        let client = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.com/v1/"))
        client.operationQueue = queue
        client.completionQueue = DispatchQueue(label: "tests")

        client.post("books", parameters: ["title": "The Dispossessed"])

        let request = (queue.queuedOperations.first as? HTTPRequestOperation)?.request
        #expect(request?.httpMethod == "POST")
        #expect(request?.httpBody == Data("title=The%20Dispossessed".utf8))
        queue.cancelAllOperations()
        #expect(queue.queuedOperationCount == 0)
    }

    @Test("Serializers need no network")
    func responses() throws {
        let url = try #require(URL(string: "https://api.example.com/v1/books"))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 422, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": "application/json"]))
        let error = #expect(throws: ResponseSerializationError.self) {
            try JSONResponseSerializer().responseObject(for: response, data: Data(#"{"message": "no title"}"#.utf8))
        }
        #expect(error?.code == .badServerResponse)
        #expect((error?.responseObject as? [String: String])?["message"] == "no title")
    }

    @Test("Neither do verdicts on certificates")
    func certificates() throws {
        let chain = try TestCertificateAuthority().issue(dnsNames: ["api.example.com"]).chain.map(\.der)
        let trust = try ServerTrust(certificates: chain)
        #expect(throws: ServerTrustError.self) {
            try SecurityPolicy.default().evaluation(of: trust, forDomain: "api.example.com").get()
        }
    }

    @Test("A server on the loopback interface")
    func server() async throws {
        let local = try TestServer()
        local.respond(to: "/books/1", .json(#"{"title": "The Dispossessed"}"#))
        let server = local.url("/")
        let client = HTTPRequestOperationManager(baseURL: server)
        client.completionQueue = DispatchQueue(label: "tests")
        let book = try await client.makeOperation(method: "GET", "books/1").decoded(Book.self)
        #expect(book.title == "The Dispossessed")
    }

    @Test("A cancelled operation fails")
    func cancellation() async throws {
        let client = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.com/v1/"))
        let operation = try client.makeOperation(method: "GET", "books")
        operation.cancel()
        let error = await #expect(throws: URLError.self) { try await operation.value() }
        #expect(error?.code == .cancelled)
    }
}
