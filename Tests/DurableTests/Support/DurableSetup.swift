// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import OperationNetworkingDurable
import TestServer

/// A server, a store and what makes queues of them.
struct DurableSetup {
    let directory: TemporaryDirectory
    let server: TestServer
    let store: SQLiteRequestStore

    init() throws {
        directory = try TemporaryDirectory()
        server = try TestServer()
        store = try SQLiteRequestStore(url: directory.file("requests.sqlite"), pollInterval: 0.02)
    }

    func request(_ path: String, method: String = "GET") -> URLRequest {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = method
        return request
    }

    func queue(
        _ other: SQLiteRequestStore? = nil, _ configure: (inout DurableRequestQueue.Configuration) -> Void = { _ in }
    ) -> DurableRequestQueue {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        var configuration = DurableRequestQueue.Configuration()
        configuration.leaseDuration = 2
        configuration.retryPolicy = DurableRetryPolicy(maximumAttempts: 3, initialDelay: 0.01, maximumDelay: 0.02)
        configure(&configuration)
        return DurableRequestQueue(store: other ?? store, manager: manager, configuration: configuration)
    }

    /// The paths that were asked for.
    var paths: [String] { server.requests.map(\.target) }
}
