// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking
import TestServer
import Testing

/// Subclasses that a program makes: no `@testable` here.
@Suite("Subclasses of the managers of reachability and activity") struct SubclassTests {
    private final class HostReachability: NetworkReachabilityManager, @unchecked Sendable {
        let host: String

        override init(domain: String) {
            host = domain
            super.init(domain: domain)
        }
    }

    private final class InheritingReachability: NetworkReachabilityManager, @unchecked Sendable {}

    private final class CountingActivity: NetworkActivityManager, @unchecked Sendable {
        let name: String

        init(name: String) {
            self.name = name
            super.init()
        }
    }

    @Test("A reachability manager's subclass has initializers, of its own or inherited")
    func reachability() async throws {
        let host = HostReachability(domain: "localhost")
        #expect(host.host == "localhost" && host.networkReachabilityStatus == .unknown)
        let loopback = try #require(InheritingReachability(address: "127.0.0.1"))
        loopback.startMonitoring()
        defer { loopback.stopMonitoring() }
        try await eventually("a status") { loopback.isReachableViaWiFi }
        #expect(InheritingReachability(address: "nonsense") == nil && !InheritingReachability().isReachable)
    }

    @Test("So has an activity manager's")
    func activity() {
        let manager = CountingActivity(name: "own")
        manager.incrementActivityCount()
        #expect(manager.isNetworkActivityOccurring)
        manager.decrementActivityCount()
    }
}
