// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore

/// A name with an IPv6 address behind a cable where nobody answers, and an IPv4 address that does.
@Suite(
    "Happy eyeballs (RFC 8305)",
    .enabled(if: NetworkNamespace.obstacle == nil, "\(NetworkNamespace.obstacle ?? "")"), .timeLimit(.minutes(1)))
struct HappyEyeballsTests {
    @Test("An address that does not answer is not waited for while there is another")
    func silentIPv6() async throws {
        let directory = try TemporaryDirectory()
        let hosts = try directory.write("2001:db8::9 dual.test\n127.0.0.1 dual.test\n", to: "hosts")
        let commands = """
            mount --bind '\(hosts.path)' /etc/hosts; ip link set lo up; \
            ip link add near type veth peer name far; ip link set far up; ip link set near up; \
            ip -6 addr add 2001:db8::1/64 dev near nodad
            """
        let network = try NetworkNamespace(["get", "dual.test"], after: commands)
        try await eventually("the request") { !network.statuses.isEmpty }
        try await eventually("the response") { network.statuses.count == 2 }
        #expect(network.statuses == [.notReachable, .reachableViaWiFi])
        // The kernel gives the neighbour up after three seconds.
        #expect(network.times[1] - network.times[0] < 2)
        // It was asked for.
        try network.enter("sh", ["-c", "ip -6 neigh show to 2001:db8::9 | grep -q ."])
    }
}
