// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// Networks that the kernel has, with two ends of a cable (veth) and what goes with it. The reader of this is another
/// process, which lives in the network.
@Suite(
    "Reachability in networks of its own",
    .enabled(if: NetworkNamespace.obstacle == nil, "\(NetworkNamespace.obstacle ?? "")"), .serialized,
    .timeLimit(.minutes(2)))
struct NetworkNamespaceTests {
    private typealias Status = NetworkReachabilityManager.Status

    /// A cable whose near end has an address.
    private static let cable = """
        ip link set lo up; ip link add near type veth peer name far; ip link set far up; ip link set near up; \
        ip addr add 192.0.2.1/24 dev near; ip -6 addr add 2001:db8::1/64 dev near nodad
        """

    private func start(
        _ target: String, isDomain: Bool = false, _ commands: String, first: Status
    ) async throws -> NetworkNamespace {
        let network = try NetworkNamespace([isDomain ? "domain" : "address", target], after: commands)
        try await eventually("the first status") { network.statuses.count == 1 }
        #expect(network.statuses == [first])
        return network
    }

    @Test("A link that goes down and up, at both ends, is told within 200 ms")
    func link() async throws {
        let network = try await start("192.0.2.9", Self.cable, first: .reachableViaWiFi)
        var times: [Double] = []
        for _ in 0..<3 {
            times += [
                try await network.expect(.notReachable) { try network.ip("link set near down") },
                try await network.expect(.reachableViaWiFi) { try network.ip("link set near up") },
                // The route stays, and leads to a cable without another end.
                try await network.expect(.notReachable) { try network.ip("link set far down") },
                try await network.expect(.reachableViaWiFi) { try network.ip("link set far up") },
            ]
        }
        // Not the worst, because this machine may be busy with something else for a moment.
        #expect(times.sorted()[times.count * 3 / 4] < 0.2, "\(times)")
    }

    @Test(
        "A route that is added, removed, and replaced by a dead one",
        arguments: ["blackhole", "unreachable", "prohibit"])
    func routes(kind: String) async throws {
        let network = try await start("198.51.100.7", Self.cable, first: .notReachable)
        try await network.expect(.reachableViaWiFi) { try network.ip("route add default via 192.0.2.2") }
        try await network.expect(.notReachable) { try network.ip("route add \(kind) 198.51.100.0/24") }
        // Says nothing new.
        try network.ip("route del default via 192.0.2.2", "route add default via 192.0.2.2")
        try await network.expect(.reachableViaWiFi) { try network.ip("route del \(kind) 198.51.100.0/24") }
        try await network.expect(.notReachable) { try network.ip("route del default") }
    }

    @Test("The Internet, by IPv4 alone, IPv6 alone, and two halves in place of a default route")
    func internet() async throws {
        let four = try await start("0.0.0.0", Self.cable, first: .notReachable)
        try four.ip("-6 route add default via 2001:db8::2")
        try await four.expect(.reachableViaWiFi) { try four.ip("route add 128.0.0.0/1 via 192.0.2.2") }
        try await four.expect(.notReachable) { try four.ip("route del 128.0.0.0/1") }
        let six = try await start("::", Self.cable, first: .notReachable)
        try six.ip("route add default via 192.0.2.2")
        try await six.expect(.reachableViaWiFi) { try six.ip("-6 route add default via 2001:db8::2") }
        try await six.expect(.notReachable) { try six.ip("-6 route del default") }
    }

    @Test("An IPv6 address without any IPv4, and dead routes to it", arguments: ["blackhole", "unreachable"])
    func six(kind: String) async throws {
        let commands = """
            ip link add near type veth peer name far; ip link set far up; ip link set near up; \
            ip -6 addr add 2001:db8::1/64 dev near nodad
            """
        let network = try await start("2001:db8::9", commands, first: .reachableViaWiFi)
        try await network.expect(.notReachable) { try network.ip("-6 route add \(kind) 2001:db8::/80") }
        try await network.expect(.reachableViaWiFi) { try network.ip("-6 route del \(kind) 2001:db8::/80") }
        try await network.expect(.notReachable) { try network.ip("-6 addr del 2001:db8::1/64 dev near") }
    }

    @Test("An address that is changed takes the way along, and a rule may send packets elsewhere")
    func addresses() async throws {
        let network = try await start("192.0.2.9", Self.cable, first: .reachableViaWiFi)
        try await network.expect(.notReachable) { try network.ip("addr del 192.0.2.1/24 dev near") }
        // Another one changes nothing.
        try network.ip("addr add 203.0.113.1/24 dev near")
        try await network.expect(.reachableViaWiFi) {
            try network.ip("addr add 192.0.2.77/28 dev near", "addr add 192.0.2.78/24 dev near")
        }
        try await network.expect(.notReachable) { try network.ip("rule add to 192.0.2.9 prohibit") }
        try await network.expect(.reachableViaWiFi) { try network.ip("rule del to 192.0.2.9 prohibit") }
    }

    @Test("An address of one interface, which is not there at first")
    func zone() async throws {
        let network = try await start("fe80::9%late", Self.cable, first: .notReachable)
        try await network.expect(.reachableViaWiFi) {
            try network.ip("link add late type veth peer name other", "link set other up", "link set late up")
        }
        try await network.expect(.notReachable) { try network.ip("link del late") }
    }

    @Test("The loopback is reachable while it is up")
    func loopback() async throws {
        let loopback = try await start("127.0.0.1", "true", first: .notReachable)
        try await loopback.expect(.reachableViaWiFi) { try loopback.ip("link set lo up") }
        try await loopback.expect(.notReachable) { try loopback.ip("link set lo down") }
    }

    @Test("A request that waits for the network is sent as soon as something has changed there")
    func waiting() async throws {
        let network = try NetworkNamespace(["waiting", "-"])
        try await eventually("the first failure") { network.statuses.count == 1 }
        // A change that does not help.
        try await network.expect(.notReachable) { try network.ip("link add near type veth peer name far") }
        try await network.expect(.reachableViaWiFi) { try network.ip("link set lo up") }
        #expect(network.statuses == [.notReachable, .notReachable, .reachableViaWiFi])
    }

    @Test("A domain is looked up again after each change")
    func domain() async throws {
        let directory = try TemporaryDirectory()
        let hosts = try directory.write("198.51.100.7 service.test\n", to: "hosts")
        let commands = "mount --bind '\(hosts.path)' /etc/hosts; " + Self.cable
        let network = try await start("service.test", isDomain: true, commands, first: .notReachable)
        try Data("198.51.100.7 service.test\n192.0.2.9 service.test\n".utf8).write(to: hosts, options: [])
        try await network.expect(.reachableViaWiFi) { try network.ip("route add 203.0.113.0/24 via 192.0.2.2") }
        try await network.expect(.notReachable) { try network.ip("link set near down") }
    }

    @Test("A name server that never answers holds up neither cancelling, nor others, nor a time limit, nor the end")
    func silentNameServer() async throws {
        let directory = try TemporaryDirectory()
        let configuration = try directory.write(
            "nameserver 127.0.0.1\noptions timeout:30 attempts:1\n", to: "resolv.conf")
        let network = try NetworkNamespace(
            ["lookup", "-"], after: "mount --bind '\(configuration.path)' /etc/resolv.conf; ip link set lo up")
        try await eventually("the end of the program") { !network.isRunning }
        #expect(network.statuses == Array(repeating: .reachableViaWiFi, count: 4))
        #expect(network.exitCode == 0)
    }

    @Test("A thousand changes that come to nothing are told as nothing")
    func storm() async throws {
        let network = try await start("192.0.2.9", Self.cable, first: .reachableViaWiFi)
        let directory = try TemporaryDirectory()
        let lines = (0..<1000).map { "route add 10.\($0 / 250).\($0 % 250).0/24 via 192.0.2.2" }
        let batch = try directory.write(lines.joined(separator: "\n") + "\n", to: "batch")
        try network.ip("-batch \(batch.path)")
        try await network.expect(.notReachable) { try network.ip("link set near down") }
        #expect(network.statuses == [.reachableViaWiFi, .notReachable])
    }
}
