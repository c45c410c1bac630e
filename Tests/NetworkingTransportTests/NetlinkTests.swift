// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkingSupport
import Testing

@testable import NetworkingTransport

/// Messages as a kernel sent them; of interfaces, some of the attributes.
private enum Captured {
    static let localRoute = """
        6800000018000000070000001be9d08302200000fe0000020002008008000f00fe000000080001007f0000010800040001000000080007007f\
        000001080019000000000024000c000200000000000000000000000000000000000000000000000000000000000000
        """
    static let sixRoute = """
        9c00000018000000070000001be9d0830a808000fe0200010000000008000f00fe00000014000100fd00000900000000000000000000000514\
        0002000000000000000000000000000000000014000700fd00000900000000000000000000000108000600000100000800040003000000\
        24000c0002000000000000000000000000000000000000000000000000000000000000000500140000000000
        """
    static let blackhole = """
        3800000002000000070000001be9d083eaffffff240000001a0001000700000000000000022000000000000000000000080001000a080101
        """
    static let loopback = """
        3800000010000000080000001be9d08300000403010000004900010000000000070003006c6f000005001000000000000500210001000000
        """
    static let veth = """
        4800000010000000080000001be9d08300000100030000004310010000000000070003007630000005001000060000000500210001000000\
        10001200090001007665746800000000
        """
    static let addedRoute = """
        340000001800000643ac026b1825000002000000fe0300010000000008000f00fe000000080005000a0900020800040003000000
        """
    static let addedRule = """
        440000002000000043ac026b2525000002002000070000010000000008000f000700000008000e00ffffffff050015000000000008000600fd\
        7f00000800020001020304
        """
    static let addedAddress = """
        4c0000001400000043ac026b162500000218800003000000080001000a090001080002000a0900010700030076300000080008008000000014\
        000600ffffffffffffffffb9a32a00b9a32a00
        """
    static let all = [localRoute, sixRoute, blackhole, loopback, veth, addedRoute, addedRule, addedAddress]
}

/// The bytes that hexadecimal digits stand for, in a slice that does not begin at 0.
private func bytes(_ digits: String) -> ArraySlice<UInt8> {
    let digits = Array(digits.utf8)
    let values = stride(from: 0, to: digits.count, by: 2).map { index in
        UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
    }
    return ([0xFF, 0xFF, 0xFF] + values).dropFirst(3)
}

private func message(_ digits: String) throws -> NetlinkMessage {
    let messages = try NetlinkMessage.messages(in: bytes(digits))
    #expect(messages.count == 1)
    return try #require(messages.first)
}

@Suite("Messages of the kernel's routing tables", .timeLimit(.minutes(1)))
struct NetlinkTests {
    @Test("A route is read: where it leads out, and whether it leads anywhere")
    func routes() throws {
        let local = try RouteMessage(message(Captured.localRoute))
        #expect(local.outInterface == 1 && local.leadsSomewhere && local.isRemembered)
        let six = try RouteMessage(message(Captured.sixRoute))
        #expect(six.outInterface == 3 && six.leadsSomewhere && !six.isRemembered)
        var dead = Array(bytes(Captured.sixRoute))
        for type: UInt8 in 6...9 {
            dead[16 + 7] = type
            let message = try #require(try NetlinkMessage.messages(in: dead[...]).first)
            #expect(try !RouteMessage(message).leadsSomewhere, "\(type)")
        }
        #expect(throws: NetlinkError.malformed) { try RouteMessage(message(Captured.veth)) }
    }

    @Test("An interface is read: its name and kind, and whether its other end is there")
    func links() throws {
        let loopback = try LinkMessage(message(Captured.loopback))
        #expect(loopback.index == 1 && loopback.name == Array("lo".utf8) && loopback.isUsable && !loopback.isMobile)
        let veth = try LinkMessage(message(Captured.veth))
        #expect(veth.name == Array("v0".utf8) && veth.kind == Array("veth".utf8) && veth.isUsable && !veth.isMobile)
        var unplugged = Array(bytes(Captured.veth))
        // IFF_RUNNING.
        unplugged[16 + 8] &= ~0x40
        #expect(try !LinkMessage(#require(try NetlinkMessage.messages(in: unplugged[...]).first)).isUsable)
        #expect(throws: NetlinkError.malformed) { try LinkMessage(message(Captured.localRoute)) }
    }

    @Test("A mobile network's interface is known by its hardware, its kind, or what its driver says in sysfs")
    func mobile() throws {
        var hardware = Array(bytes(Captured.loopback))
        hardware.replaceSubrange(18..<20, with: [0x07, 0x02])
        #expect(try LinkMessage(#require(try NetlinkMessage.messages(in: hardware[...]).first)).isMobile)
        let kind = Captured.veth.replacingOccurrences(of: "76657468", with: "7777616e")
        #expect(try LinkMessage(message(kind)).isMobile)
        let veth = try LinkMessage(message(Captured.veth))
        let event = { (text: String) in InterfaceEvent(Array(text.utf8)) }
        #expect(event("DEVTYPE=wwan\nINTERFACE=v0\nIFINDEX=3\n").isMobile(veth))
        #expect(!event("DEVTYPE=wlan\nINTERFACE=v0\nIFINDEX=3\n").isMobile(veth))
        #expect(!event("DEVTYPE=wwan\nINTERFACE=v0\nIFINDEX=4\n").isMobile(veth), "that of another namespace")
        #expect(!event("DEVTYPE\n=wwan\nIFINDEX=3").isMobile(veth))
        #expect(!event("").isMobile(veth))
    }

    @Test("The kernel's refusal has its errno")
    func refusals() throws {
        #expect(try message(Captured.blackhole).errorCode == EINVAL)
        #expect(try message(Captured.veth).errorCode == nil)
        var extreme = Array(bytes(Captured.blackhole))
        extreme.replaceSubrange(16..<20, with: [0, 0, 0, 0x80])
        #expect(try NetlinkMessage.messages(in: extreme[...]).first?.errorCode == .max)
    }

    @Test("Links, addresses, routes and rules are changes; remembered routes and answers are none")
    func changes() {
        for change in [Captured.veth, Captured.addedRoute, Captured.addedRule, Captured.addedAddress] {
            #expect(NetlinkMessage.tellsOfChange(bytes(change)), "\(change)")
        }
        #expect(!NetlinkMessage.tellsOfChange(bytes(Captured.localRoute)))
        #expect(!NetlinkMessage.tellsOfChange(bytes(Captured.blackhole)))
        #expect(!NetlinkMessage.tellsOfChange([]))
        #expect(NetlinkMessage.tellsOfChange([1, 2, 3]), "what cannot be read may be one")
        #expect(NetlinkMessage.tellsOfChange(bytes(Captured.localRoute + Captured.addedRule)))
    }

    @Test("What is cut off anywhere, or has lengths that cannot be, is an error", arguments: Captured.all)
    func damage(digits: String) throws {
        let whole = bytes(digits)
        for count in 1..<whole.count {
            #expect(throws: NetlinkError.malformed) { try NetlinkMessage.messages(in: whole.prefix(count)) }
        }
        for length: [UInt8] in [[0, 0, 0, 0], [15, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0x80]] {
            let damaged = length + whole.dropFirst(4)
            #expect(throws: NetlinkError.malformed) { try NetlinkMessage.messages(in: damaged[...]) }
        }
        for length: [UInt8] in [[0, 0], [3, 0], [0xFF, 0xFF]] {
            #expect(throws: NetlinkError.malformed) {
                try NetlinkAttribute.attributes(in: (length + [1, 0, 0, 0, 0, 0])[...])
            }
        }
    }

    @Test("The last attribute need not be filled up, and flags are no part of its type")
    func attributes() throws {
        let attributes = try NetlinkAttribute.attributes(in: [5, 0, 1, 0x80, 7, 0, 0, 0, 5, 0, 2, 0, 8])
        #expect(attributes.map(\.type) == [1, 2] && attributes.map { Array($0.value) } == [[7], [8]])
    }

    @Test("This machine's kernel knows the way to itself, and none to what is nowhere")
    func kernel() throws {
        #expect(try NetworkPath(to: [127, 0, 0, 1]) == .other)
        // An interface that does not exist.
        #expect(try NetworkPath(to: [192, 0, 2, 1], interface: 0x7FFF_FFF0) == .none)
    }

    @Test("The socket is there exactly while somebody subscribes, in whatever order threads come and go")
    func subscriptions() throws {
        let engine = TransportEngine()
        defer { engine.shutdown() }
        let monitor = NetworkChangeMonitor(engine: engine)
        #expect(!monitor.isListening)
        for _ in 0..<50 {
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                let subscription = try? monitor.subscribe { _ in }
                #expect(monitor.isListening)
                withExtendedLifetime(subscription) {}
            }
        }
        #expect(!monitor.isListening)
        #expect(watchCount(engine) == 0)
        let subscription = try monitor.subscribe { _ in }
        #expect(watchCount(engine) == 1)
        withExtendedLifetime(subscription) {}
    }

    private func watchCount(_ engine: TransportEngine) -> Int {
        let (latch, count) = (Latch(), Locked(-1))
        engine.perform {
            let watches = engine.loop.watches.count
            count.withLock { $0 = watches }
            latch.open()
        }
        latch.wait()
        return count.withLock { $0 }
    }

    @Test("A subscription to an engine that has ended is lost at once")
    func ended() throws {
        let engine = TransportEngine()
        engine.shutdown()
        let monitor = NetworkChangeMonitor(engine: engine)
        let losses = Locked(0)
        let subscription = try monitor.subscribe { event in
            if case .lost = event { losses.withLock { $0 += 1 } }
        }
        #expect(losses.withLock { $0 } == 1 && !monitor.isListening)
        withExtendedLifetime(subscription) {}
    }
}
