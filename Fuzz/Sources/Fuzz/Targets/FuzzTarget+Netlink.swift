// SPDX-License-Identifier: MIT
import Foundation
@testable import NetworkingTransport

extension FuzzTarget {
    /// Datagrams of the kernel's routing socket. The seeds are the kernel's: routes of both families, refusals, interfaces,
    /// and changes of routes, rules and addresses.
    static let netlink = FuzzTarget(
        "netlink", maximumLength: 8192,
        seeds: [
            """
            6800000018000000070000001be9d08302200000fe0000020002008008000f00fe000000080001007f0000010800040001000000080007\
            007f000001080019000000000024000c000200000000000000000000000000000000000000000000000000000000000000
            """,
            """
            9c00000018000000070000001be9d0830a808000fe0200010000000008000f00fe00000014000100fd0000090000000000000000000000\
            05140002000000000000000000000000000000000014000700fd0000090000000000000000000000010800060000010000080004000300\
            000024000c0002000000000000000000000000000000000000000000000000000000000000000500140000000000
            """,
            """
            3800000002000000070000001be9d083eaffffff240000001a00010007000000000000000220000000000000000000000800\
            01000a080101
            """,
            """
            4400000002000000070000001be9d0839bffffff300000001a00010007000000000000000a80000000000000000000001400010020010503\
            ba3e00000000000000020030
            """,
            """
            3800000010000000080000001be9d08300000403010000004900010000000000070003006c6f0000050010000000000005002100\
            01000000
            """,
            """
            4800000010000000080000001be9d08300000100030000004310010000000000070003007630000005001000060000000500210001\
            00000010001200090001007665746800000000
            """,
            "340000001800000643ac026b1825000002000000fe0300010000000008000f00fe000000080005000a0900020800040003000000",
            """
            440000002000000043ac026b2525000002002000070000010000000008000f000700000008000e00ffffffff050015000000000008\
            000600fd7f00000800020001020304
            """,
            """
            4c0000001400000043ac026b162500000218800003000000080001000a090001080002000a090001070003007630000008000800800000\
            0014000600ffffffffffffffffb9a32a00b9a32a00
            """,
        ].map(bytes(ofDigits:))
    ) { input in
        let datagram = Array(input)[...]
        _ = InterfaceEvent(Array(input))
        let tells = NetlinkMessage.tellsOfChange(datagram)
        guard let messages = try? NetlinkMessage.messages(in: datagram) else {
            if !tells { broken("what cannot be read may be a change") }
            return
        }
        var length = 0
        for message in messages {
            let (sum, isOver) = length.addingReportingOverflow(message.payload.count + 16)
            guard !isOver, sum <= input.count else { broken("messages are inside of their datagram") }
            length = sum
            if let code = message.errorCode, code < 0 { broken("an errno is not negative") }
            if let route = try? RouteMessage(message) { _ = route.leadsSomewhere }
            guard let link = try? LinkMessage(message) else { continue }
            _ = link.isMobile
            guard link.name.count + link.kind.count <= message.payload.count else {
                broken("names are inside of a message")
            }
            guard !link.name.contains(0), !link.kind.contains(0) else { broken("a name has no zero in it") }
        }
    }

    private static func bytes(ofDigits digits: String) -> Data {
        let digits = Array(digits.utf8)
        return Data(
            stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
                UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
            })
    }
}
