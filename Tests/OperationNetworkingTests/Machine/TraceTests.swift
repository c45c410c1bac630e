// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import Testing

@testable import OperationNetworkingCore

@Suite("The trace") struct TraceTests {
    @Test("It names a request without what may be a secret in its URL")
    func secrets() throws {
        let url = try #require(
            URL(string: "http://me:hunter2@example.com/a?page=2&api_key=hunter2&token=hunter2#hunter2"))
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        let operation = HTTPRequestOperation(request: request)
        #expect(operation.traceName == "PUT http://example.com/a?page=2&api_key=***&token=***")
    }
}
