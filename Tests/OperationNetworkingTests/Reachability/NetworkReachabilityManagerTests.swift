// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import Glibc
import NetworkingSupport
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// A manager whose findings a test says.
private final class ScriptedTarget: Sendable {
    typealias Status = NetworkReachabilityManager.Status

    let status: Locked<Status>
    let manager: NetworkReachabilityManager
    let queue = DispatchQueue(label: "reachability")

    init(_ first: Status, mayTakeLong: Bool = false) {
        let status = Locked(first)
        self.status = status
        manager = NetworkReachabilityManager(mayTakeLong: mayTakeLong) { known in
            (ReachabilityMachine.Finding(status: status.withLock { $0 }), known)
        }
        manager.completionQueue = queue
    }

    /// Has the target's status change, and waits until the manager knows.
    func change(to new: Status) async throws {
        status.withLock { $0 = new }
        manager.receive(.changed)
        try await eventually("the status \(new)") { manager.networkReachabilityStatus == new }
    }

    /// Waits until everything that is told by now has been.
    func settle() async {
        for _ in 0..<4 {
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        }
    }
}

@Suite("Reachability managers", .timeLimit(.minutes(1)))
struct NetworkReachabilityManagerTests {
    private typealias Status = NetworkReachabilityManager.Status

    @Test(
        "The loopback is reachable as soon as monitoring has begun, and unknown before",
        arguments: ["127.0.0.1", "::1"])
    func loopback(address: String) throws {
        let manager = try #require(NetworkReachabilityManager(address: address))
        #expect(manager.networkReachabilityStatus == .unknown && !manager.isReachable)
        #expect(manager.localizedNetworkReachabilityStatusString == "Unknown")
        manager.startMonitoring()
        // A machine may be without IPv6.
        if address == "127.0.0.1" || manager.isReachable {
            #expect(manager.networkReachabilityStatus == .reachableViaWiFi && manager.isReachableViaWiFi)
            #expect(manager.localizedNetworkReachabilityStatusString == "Reachable via WiFi")
        }
        #expect(!manager.isReachableViaWWAN)
        manager.stopMonitoring()
    }

    @Test("A name is looked up off the caller's thread")
    func domain() async throws {
        let manager = NetworkReachabilityManager(domain: "localhost")
        manager.startMonitoring()
        try await eventually("localhost is reachable") { manager.networkReachabilityStatus == .reachableViaWiFi }
    }

    @Test(
        "What is no name is never reachable, and never looked up",
        arguments: [
            "", "a b", "localhost\0", "localhost\0.example.com", "http://localhost/", "[::1]", "a/b",
            String(repeating: "a", count: 254), "é/\u{0}", "localhost\n",
        ])
    func badNames(name: String) {
        let target = ReachabilityTarget(domain: name)
        #expect(!target.isLookedUp && target.destinations() == .found([]))
        let manager = NetworkReachabilityManager(domain: name)
        manager.startMonitoring()
        #expect(manager.networkReachabilityStatus == .notReachable)
    }

    @Test("An address is one in the usual notation, with the zone of an IPv6 one")
    func addresses() throws {
        for text in ["", "localhost", "127.1", "1.2.3.4%lo", "::1%", "::1\0", "%lo", "1.2.3.4\u{301}", "[::1]"] {
            #expect(NetworkReachabilityManager(address: text) == nil, "\(text.debugDescription)")
        }
        let destinations = { (text: String) in ReachabilityTarget(address: text)?.destinations() }
        #expect(destinations("192.0.2.1") == .found([RouteDestination(address: [192, 0, 2, 1])]))
        let linkLocal: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        #expect(destinations("fe80::1%lo") == .found([RouteDestination(address: linkLocal, interface: 1)]))
        #expect(destinations("fe80::1%nosuch") == .found([]))
        #expect(destinations("fe80::1%7") == .found([RouteDestination(address: linkLocal, interface: 7)]))
        let internet = ReachabilityTarget.internetDestinations
        #expect(internet.map(\.address.count) == [4, 16])
        #expect(destinations("0.0.0.0") == .found([internet[0]]) && destinations("::") == .found([internet[1]]))
        let asDomain = ReachabilityTarget(domain: "::1")
        #expect(!asDomain.isLookedUp && asDomain.destinations() == destinations("::1"))
        guard case .domain("xn--bcher-kva.example") = ReachabilityTarget(domain: "bücher.example") else {
            throw TimedOutWaiting(description: "a name in another script is looked up in its ASCII form")
        }
    }

    @Test("A socket address is read with its family, and one of another family is never reachable")
    func socketAddresses() {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        #expect(
            ReachabilityTarget(socketAddress: &four).destinations()
                == .found([ReachabilityTarget.internetDestinations[0]]))
        four.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        #expect(
            ReachabilityTarget(socketAddress: &four).destinations()
                == .found([RouteDestination(address: [127, 0, 0, 1])]))
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_addr = in6addr_loopback
        six.sin6_scope_id = 9
        let loopback = [UInt8](repeating: 0, count: 15) + [1]
        #expect(
            ReachabilityTarget(socketAddress: &six).destinations()
                == .found([RouteDestination(address: loopback, interface: 9)]))
        four.sin_family = sa_family_t(AF_UNIX)
        #expect(ReachabilityTarget(socketAddress: &four).destinations() == .found([]))
        #expect(RouteDestination(&four, length: 1) == nil && RouteDestination(&six, length: 16) == nil)
    }

    @Test("Block and observers are told each status once, in order")
    func telling() async throws {
        let target = ScriptedTarget(.reachableViaWiFi)
        let (told, seen) = (Recorder<Status>(), Recorder<Status>())
        target.manager.setReachabilityStatusChangeBlock { told.append($0) }
        let observation = target.manager.observeStatus { seen.append($0) }
        target.manager.startMonitoring()
        #expect(target.manager.networkReachabilityStatus == .reachableViaWiFi, "known when it has begun")
        await target.settle()
        for status in [Status.notReachable, .notReachable, .reachableViaWWAN, .reachableViaWiFi] {
            try await target.change(to: status)
        }
        await target.settle()
        let expected = [Status.reachableViaWiFi, .notReachable, .reachableViaWWAN, .reachableViaWiFi]
        #expect(told.values == expected && seen.values == expected)
        observation.invalidate()
        try await target.change(to: .notReachable)
        await target.settle()
        #expect(told.count == 5 && seen.count == 4)
        target.manager.startMonitoring()
        await target.settle()
        #expect(told.values.suffix(2) == [.notReachable, .notReachable], "the first one after each start is told")
    }

    @Test("What waits on a queue that nobody runs is told on the next one, once")
    func stuckQueue() async throws {
        let target = ScriptedTarget(.reachableViaWiFi)
        let (told, live, manager) = (Recorder<Status>(), target.queue, target.manager)
        let stuck = DispatchQueue(label: "stuck")
        stuck.suspend()
        manager.completionQueue = stuck
        manager.setReachabilityStatusChangeBlock { status in
            dispatchPrecondition(condition: .onQueue(live))
            told.append(status)
        }
        manager.startMonitoring()
        manager.completionQueue = live
        await target.settle()
        #expect(told.values == [.reachableViaWiFi])
        // The same with a stop between, after which nothing waits.
        manager.completionQueue = stuck
        manager.startMonitoring()
        manager.stopMonitoring()
        manager.completionQueue = live
        manager.startMonitoring()
        await target.settle()
        #expect(told.values == [.reachableViaWiFi, .reachableViaWiFi])
        stuck.resume()
        await withCheckedContinuation { continuation in stuck.async { continuation.resume() } }
        #expect(told.count == 2)
    }

    @Test("A subscription to changes that is void at once is not kept")
    func voidSubscription() {
        // It cannot watch, and says so before the subscriber goes on.
        let engine = TransportEngine()
        engine.shutdown()
        let manager = NetworkReachabilityManager(
            mayTakeLong: false,
            find: { known in (ReachabilityMachine.Finding(status: .reachableViaWiFi), known) },
            monitor: NetworkChangeMonitor(engine: engine))
        manager.startMonitoring()
        defer { manager.stopMonitoring() }
        #expect(manager.state.withLock { $0.subscription == nil })
        #expect(manager.networkReachabilityStatus == .reachableViaWiFi)
    }

    @Test("Once a stop has returned nothing is told, also while another thread was about to")
    func stopping() async throws {
        for round in 0..<200 {
            let target = ScriptedTarget(.reachableViaWiFi)
            let (isStopped, late) = (Locked(false), Tally())
            target.manager.setReachabilityStatusChangeBlock { _ in
                if round % 2 == 0 { usleep(50) }
                if isStopped.withLock({ $0 }) { late.increment() }
            }
            target.manager.startMonitoring()
            if round % 3 == 0 { usleep(20) }
            target.manager.stopMonitoring()
            isStopped.withLock { $0 = true }
            target.status.withLock { $0 = .notReachable }
            target.manager.receive(.changed)
            await target.settle()
            #expect(late.value == 0 && target.manager.networkReachabilityStatus == .reachableViaWiFi)
        }
    }

    @Test("A block that stops the monitoring is not waited for by itself, and is the last one")
    func stoppingInside() async throws {
        let target = ScriptedTarget(.reachableViaWiFi)
        let told = Recorder<Status>()
        let manager = target.manager
        manager.setReachabilityStatusChangeBlock { [weak manager] status in
            told.append(status)
            guard let manager else { return }
            if told.count == 1 {
                manager.stopMonitoring()
                manager.startMonitoring()
            } else {
                manager.stopMonitoring()
            }
        }
        manager.startMonitoring()
        try await eventually("two calls") { told.count == 2 }
        await target.settle()
        target.status.withLock { $0 = .notReachable }
        manager.receive(.changed)
        await target.settle()
        #expect(told.values == [.reachableViaWiFi, .reachableViaWiFi])
    }

    @Test("Two managers' blocks may stop each other")
    func stoppingEachOther() async throws {
        let (first, second) = (ScriptedTarget(.reachableViaWiFi), ScriptedTarget(.reachableViaWiFi))
        let (inFirst, inSecond) = (Gate(), Gate())
        let ends = Tally()
        first.manager.setReachabilityStatusChangeBlock { [manager = second.manager] _ in
            inFirst.open()
            _ = inSecond.wait(timeout: 10)
            manager.stopMonitoring()
            ends.increment()
        }
        second.manager.setReachabilityStatusChangeBlock { [manager = first.manager] _ in
            inSecond.open()
            _ = inFirst.wait(timeout: 10)
            manager.stopMonitoring()
            ends.increment()
        }
        first.manager.startMonitoring()
        second.manager.startMonitoring()
        try await eventually("both have returned") { ends.value == 2 }
        first.manager.setReachabilityStatusChangeBlock(nil)
        second.manager.setReachabilityStatusChangeBlock(nil)
    }

    @Test("The notification comes on the main queue, with the manager and the number")
    func notification() async throws {
        let target = ScriptedTarget(.reachableViaWWAN)
        let seen = Recorder<Bool>()
        let token = NotificationCenter.default.addObserver(
            forName: .networkingReachabilityDidChange, object: target.manager, queue: nil
        ) { notification in
            dispatchPrecondition(condition: .onQueue(.main))
            let item = notification.userInfo?["AFNetworkingReachabilityNotificationStatusItem"]
            seen.append(item as? Int == 1 && (item as? NSNumber)?.intValue == 1)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        target.manager.startMonitoring()
        try await eventually("a notification") { seen.count == 1 }
        #expect(seen.values == [true])
        #expect(
            Notification.Name.networkingReachabilityDidChange.rawValue == "com.alamofire.networking.reachability.change"
        )
    }

    @Test("Each stream begins with the present status, leaves out none, and ends with its task")
    func streams() async throws {
        let target = ScriptedTarget(.reachableViaWiFi)
        var early = target.manager.statuses.makeAsyncIterator()
        #expect(await early.next() == .unknown)
        target.manager.startMonitoring()
        #expect(await early.next() == .reachableViaWiFi)
        let unread = target.manager.statuses
        try await target.change(to: .notReachable)
        try await target.change(to: .reachableViaWWAN)
        var late = unread.makeAsyncIterator()
        #expect(await late.next() == .reachableViaWWAN, "not the one when it was made")
        #expect(await early.next() == .notReachable)
        #expect(await early.next() == .reachableViaWWAN)
        let stream = target.manager.statuses
        let seen = Recorder<Status>()
        let task = Task {
            for await status in stream { seen.append(status) }
        }
        try await eventually("the first status") { seen.count == 1 }
        task.cancel()
        await task.value
        try await target.change(to: .notReachable)
        #expect(seen.values == [.reachableViaWWAN])
        #expect(await early.next() == .notReachable)
        #expect(await late.next() == .notReachable)
    }

    @Test("A stream that is left is forgotten, and keeps the manager alive no longer")
    func abandonedStreams() async throws {
        weak var released: NetworkReachabilityManager?
        do {
            let target = ScriptedTarget(.reachableViaWiFi)
            released = target.manager
            target.manager.startMonitoring()
            for await _ in target.manager.statuses { break }
            #expect(target.manager.state.withLock { $0.streams.isEmpty })
        }
        try await eventually("the manager is released") { released == nil }
    }

    @Test("A request operation manager has the shared one until it is given another, which its copies have, too")
    func managers() throws {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        #expect(manager.reachabilityManager === NetworkReachabilityManager.shared)
        let other = NetworkReachabilityManager(domain: "example.com")
        manager.reachabilityManager = other
        let copy = try #require(manager.copy() as? HTTPRequestOperationManager)
        #expect(copy.reachabilityManager === other)
    }
}
