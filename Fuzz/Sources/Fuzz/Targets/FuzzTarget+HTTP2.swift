// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking

extension FuzzTarget {
    /// The frames of an HTTP/2 server after its settings. The first byte says where they are cut.
    static let http2 = FuzzTarget(
        "http2", maximumLength: 8192,
        seeds: [
            // A response with a length.
            [headers([status200] + field(28, "5")), Frames.input(0, endStream, 1, Array("hello".utf8))],
            // A head in two frames, padded content, trailer fields.
            [
                Frames.input(1, 0, 1, [status200]), Frames.input(9, endHeaders, 1, named("x", "y")),
                Frames.input(0, 8, 1, [2] + Array("hello".utf8) + [0, 0]),
                headers(named("checksum", "1"), flags: endStream),
            ],
            // An interim response, and a stream that is reset in the middle.
            [
                headers(status("103") + named("link", "</x>")), headers([status200]), Frames.input(0, 0, 1, [65]),
                Frames.input(3, 0, 1, [0, 0, 0, 8]),
            ],
            // Everything that belongs to no response.
            [
                Frames.input(4, 0, 0, [0, 1, 0, 0, 0, 0, 0, 4, 0, 0, 255, 255]), Frames.input(6, 0, 0, Array(1...8)),
                Frames.input(8, 0, 0, [0, 0, 1, 0]), Frames.input(2, 0, 1, [0, 0, 0, 0, 15]),
                Frames.input(5, endHeaders, 1, [0, 0, 0, 2, status200]), Frames.input(10, 0, 0, [0, 0]),
                Frames.input(7, 0, 0, [0, 0, 0, 1, 0, 0, 0, 0]), headers([status200], flags: endStream),
            ],
            // What is followed by another request.
            [headers(status("302") + field(46, "/") + field(55, "a=b"), flags: endStream)],
            [headers(status("401") + field(61, "Digest realm=x, nonce=n, qop=auth"), flags: endStream)],
            [headers([status200] + field(26, "gzip")), Frames.input(0, endStream, 1, [0x1F, 0x8B, 8, 0])],
            [Frames.input(7, 0, 0, [0, 0, 0, 0, 0, 0, 0, 0])], [Frames.input(3, 0, 1, [0, 0, 0, 7])],
        ].map { Data([0]) + $0.joined() }
    ) { input in
        Exchange.shared.run(
            [Frames.sent(for: input.dropFirst())], cut: Int(input.first ?? 0),
            credential: URLCredential(user: "user", password: "password", persistence: .none), speaksHTTP2: true)
    }

    private static let endStream: UInt8 = 1
    private static let endHeaders: UInt8 = 4
    /// `:status: 200`, as HPACK (RFC 7541) has it in a byte.
    private static let status200: UInt8 = 0x88

    private static func headers(_ fields: [UInt8], flags: UInt8 = 0) -> Data {
        Frames.input(Frames.headers, flags | endHeaders, 1, fields)
    }

    private static func status(_ value: String) -> [UInt8] { field(8, value) }

    /// A field whose name is at this place of HPACK's table, below 16 + 127.
    private static func field(_ index: UInt8, _ value: String) -> [UInt8] {
        (index < 15 ? [index] : [15, index - 15]) + text(value)
    }

    private static func named(_ name: String, _ value: String) -> [UInt8] { [0] + text(name) + text(value) }

    private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
}
