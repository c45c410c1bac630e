// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Waiting for the network", .timeLimit(.minutes(1)), .serialized) struct ConnectivityTests {
    @Test("Operations that are cancelled and released while they wait leave nothing behind")
    func released() async throws {
        let port = try RefusedPort()
        let url = try #require(URL(string: port.urlString))
        let before = Connectivity.shared.count
        var operations: [HTTPRequestOperation] = (0..<20).map { _ in
            let operation = HTTPRequestOperation.make(url)
            operation.retryPolicy = RetryPolicy(backoff: .constant(0.5), waitsForConnectivity: true)
            operation.start()
            return operation
        }
        try await eventually("all wait") { Connectivity.shared.count == before + 20 }
        for operation in operations { operation.cancel() }
        for operation in operations { await operation.completed() }
        operations = []
        try await eventually("none waits") { Connectivity.shared.count == before }
    }

    @Test("A change counts for what began before it, and not for what began after it")
    func changes() async throws {
        let connectivity = Connectivity()
        let operations = (0..<2).map { _ in HTTPRequestOperation.make() }
        let before = MonotonicClock.now
        connectivity.receive(.changed)
        connectivity.add(operations[0], after: 1, begunAt: MonotonicClock.now + 1)
        #expect(connectivity.count == 1 && !connectivity.isTelling)
        connectivity.add(operations[1], after: 1, begunAt: before)
        #expect(connectivity.isTelling)
        try await eventually("all are told") { connectivity.count == 0 }
        withExtendedLifetime(operations) {}
    }
}
