// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// How much content comes of loaders that are no operations.
@Suite("Limits of content of other loaders", .timeLimit(.minutes(1))) struct ContentLimitTests {
    private enum Taking: CaseIterable { case whole, pieces, file }

    @Test("A manager's limit holds, and ends a loader that would go on", arguments: Taking.allCases)
    private func limit(_ taking: Taking) async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Talker.self]
        let manager = URLSessionManager(sessionConfiguration: configuration).offMain()
        manager.responseSerializer = HTTPResponseSerializer()
        if taking == .pieces { manager.setDataTaskDidReceiveDataBlock { _, _, _ in } }
        func code(_ path: String) async throws -> Int? {
            let request = URLRequest(url: try #require(URL(string: "http://talker.invalid/\(path)")))
            return await taking == .file ? manager.downloading(request).code : manager.loading(request).code
        }
        manager.maximumResponseBodySize = Talker.length
        #expect(try await code("whole") == nil)
        manager.maximumResponseBodySize = Talker.length - 1
        #expect(try await code("endless") == URLError.Code.dataLengthExceedsMaximum.rawValue)
    }

    @Test("Without another limit 256 MiB are collected", arguments: [0, 1])
    func usualLimit(excess: Int) async throws {
        let url = try #require(URL(string: "data:,x"))
        let outcome = await OperationURLSession(configuration: .ephemeral).outcome(URLRequest(url: url)) { task in
            // As if all but the last byte had come.
            (task as? any SessionTaskFace)?.task.withState { $0.traffic.noteReceived((256 << 20) - 1 + excess) }
            task.resume()
        }
        #expect(outcome.code == (excess == 0 ? nil : URLError.Code.dataLengthExceedsMaximum))
        #expect(outcome.text == (excess == 0 ? "x" : nil))
    }
}

/// Tells some pieces, and an end where the path says so.
private final class Talker: URLProtocol {
    static let length: Int64 = 12

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "talker.invalid" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        for _ in 0..<3 { client?.urlProtocol(self, didLoad: Data(count: Int(Self.length) / 3)) }
        if url.path == "/whole" { client?.urlProtocolDidFinishLoading(self) }
    }
}
