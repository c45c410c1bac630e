// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import OperationNetworkingTesting
import TestServer

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// A manager whose requests stubs answer, with blocks on a queue of its own, and neither cache nor cookies of the process.
func makeManager(_ stubs: HTTPStubs? = nil) -> HTTPRequestOperationManager {
    let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.org/v1/"))
    manager.completionQueue = DispatchQueue(label: "TestingTests")
    manager.urlCache = nil
    manager.cookieStorage = nil
    stubs?.install(on: manager)
    return manager
}

func makeRequest(_ text: String, method: String = "GET", body: Data? = nil) throws -> URLRequest {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    return request
}

extension HTTPRequestOperationManager {
    /// A GET that is in no queue.
    func request(_ path: String) -> HTTPRequestOperation {
        guard let operation = try? makeOperation(method: "GET", path) else {
            preconditionFailure("no URL: \(path)")
        }
        return operation
    }
}

extension HTTPRequestOperation {
    /// Waits for the end, and gives the error; nil: it succeeded.
    func failure() async -> (any Error)? {
        do {
            _ = try await data()
            return nil
        } catch {
            return error
        }
    }
}
