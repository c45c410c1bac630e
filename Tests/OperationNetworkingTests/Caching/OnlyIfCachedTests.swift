// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("only-if-cached", .timeLimit(.minutes(1))) struct OnlyIfCachedTests {
    enum Reason: CaseIterable, Sendable {
        case noCache, range, condition, content, method
    }

    @Test(
        "Where the cache cannot have the response, or there is none, nothing is sent", arguments: Reason.allCases)
    func unavailable(reason: Reason) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in ScriptedResponse.ok("content").adding(header: "Cache-Control", "max-age=60") }
        let manager = HTTPRequestOperationManager.offMain(nil)
        manager.urlCache = URLCache(memoryCapacity: 8 << 20, diskCapacity: 0, diskPath: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        func send(_ request: URLRequest) async -> HTTPRequestOperation {
            let operation = manager.httpRequestOperation(with: request, success: nil, failure: nil)
            _ = await operation.outcome()
            return operation
        }
        var request = URLRequest(url: server.url("/a"))
        // It would be there.
        #expect(await send(request).responseString == "content")
        request.setValue("only-if-cached", forHTTPHeaderField: "Cache-Control")
        #expect(await send(request).responseString == "content")
        switch reason {
        case .noCache: manager.urlCache = nil
        case .range: request.setValue("bytes=0-1", forHTTPHeaderField: "Range")
        case .condition: request.setValue("\"x\"", forHTTPHeaderField: "If-None-Match")
        case .content: request.httpBody = Data("x".utf8)
        case .method: request.httpMethod = "POST"
        }
        #expect(await send(request).errorCode == NSURLErrorResourceUnavailable)
        #expect(server.requests.count == 1)
        // Who does not read what is stored has said that the server is to be asked.
        request.cachePolicy = .reloadIgnoringLocalCacheData
        #expect(await send(request).error == nil && server.requests.count == 2)
    }
}
