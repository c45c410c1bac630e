// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking
import OperationNetworkingTesting
import Testing

/// The last of the tasks in Documentation/TwelveTasks.md. What stands between the marks goes into the page: see
/// Scripts/twelve-tasks.
@Suite("Twelve tasks: without a network", .timeLimit(.minutes(1)))
struct TwelveTasksTests {
    private struct Book: Codable, Sendable {
        let title: String
    }

    @Test("Test without a network")
    func stub() async throws {
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.com/v1/"))
        // task 12
        let stubs = HTTPStubs()
        stubs.on("GET", "https://api.example.com/v1/books/1", respond: .json(["title": "Lavinia"]))
        stubs.install(on: manager)
        let book = try await manager.makeOperation(method: "GET", "books/1").decoded(Book.self)
        // end
        #expect(book.title == "Lavinia")
    }
}
