// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import NetworkingTransport

@Suite("Decoding content", .timeLimit(.minutes(1))) struct ContentDecoderTests {
    private static let content = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })

    private static func gzip(_ data: Data = content) throws -> Data { try GzipEncoder.encode(data) }

    /// Without gzip's head of 10 bytes and tail of 8.
    private static func bare(_ data: Data = content) throws -> Data { try gzip(data).dropFirst(10).dropLast(8) }

    /// RFC 1950.
    private static func zlib(_ data: Data = content) throws -> Data {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let sum = high << 16 | low
        return try Data([0x78, 0x9C]) + bare(data) + Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) })
    }

    /// 200 000 zeros, and a sentence 40 times, as the `brotli` and `zstd` commands compress them. Those of Zstandard have
    /// check sums.
    private static let zeros = Data(count: 200_000)
    private static let sentences = Data(
        String(repeating: "the quick brown fox jumps over the lazy dog. ", count: 40).utf8)
    private static let brotli: [(coded: Data, content: Data)] = [
        (bytes("533f0d837f02201e0b04f2090600"), zeros),
        (
            bytes(
                "b138384064a4743317811e2cd585f49aa06804e41b5a186cc08143027923f90d3aad70363b1e272a2c051be1545afd615260"),
            sentences
        ),
    ]
    private static let zstd: [(coded: Data, content: Data)] = [
        (bytes("28b52ffda4400d03004c000008000100fcff391002036a0800c4e97470"), zeros),
        (
            bytes(
                "28b52ffd640806b50100d40274686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920"
                    + "646f672e200100c516feaa0c34877d7f"), sentences
        ),
    ]

    private static func bytes(_ hexadecimal: String) -> Data {
        var (data, digits) = (Data(), Substring(hexadecimal))
        while !digits.isEmpty {
            data.append(UInt8(digits.prefix(2), radix: 16) ?? 0)
            digits = digits.dropFirst(2)
        }
        return data
    }

    private static func decode(
        _ data: Data, _ codings: [ContentDecoder.Coding], pieceSize: Int = .max
    ) throws -> Data {
        let decoder = ContentDecoder(codings)
        var (result, rest) = (Data(), data)
        while !rest.isEmpty {
            let piece = rest.prefix(pieceSize)
            rest = rest.dropFirst(piece.count)
            try piece.withUnsafeBytes { try decoder.decode($0) { result.append(contentsOf: $0) } }
        }
        try decoder.finish()
        return result
    }

    private func expectRefusal(
        _ data: Data, _ codings: [ContentDecoder.Coding] = [.gzip], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: TransferError.self, sourceLocation: sourceLocation) {
            try Self.decode(data, codings)
        }
        #expect(error?.kind == .cannotDecodeContent, sourceLocation: sourceLocation)
    }

    @Test("Every format, however it is cut", arguments: [1, 2, 3, 1000, 65_536, .max])
    func formats(pieceSize: Int) throws {
        #expect(try Self.decode(Self.gzip(), [.gzip], pieceSize: pieceSize) == Self.content)
        #expect(try Self.decode(Self.zlib(), [.deflate], pieceSize: pieceSize) == Self.content)
        #expect(try Self.decode(Self.bare(), [.deflate], pieceSize: pieceSize) == Self.content)
        let members = try Self.gzip() + Self.gzip(Data()) + Self.gzip(Data("end".utf8))
        #expect(try Self.decode(members, [.gzip], pieceSize: pieceSize) == Self.content + Data("end".utf8))
        #expect(try Self.decode(Self.gzip(Self.zlib()), [.deflate, .gzip], pieceSize: pieceSize) == Self.content)
        #expect(try Self.decode(Self.content, [], pieceSize: pieceSize) == Self.content)
        for (coded, content) in Self.brotli {
            #expect(try Self.decode(coded, [.brotli], pieceSize: pieceSize) == content)
            #expect(try Self.decode(Self.gzip(coded), [.brotli, .gzip], pieceSize: pieceSize) == content)
        }
        for (coded, content) in Self.zstd {
            #expect(try Self.decode(coded, [.zstd], pieceSize: pieceSize) == content)
            #expect(try Self.decode(coded + coded, [.zstd], pieceSize: pieceSize) == content + content)
        }
    }

    @Test("Nothing is the content of nothing; an empty content has its own stream")
    func empty() throws {
        #expect(try Self.decode(Data(), [.gzip, .deflate, .brotli, .zstd, .other("foo")]).isEmpty)
        #expect(try Self.decode(Self.gzip(Data()), [.gzip]).isEmpty)
        #expect(try Self.decode(Self.zlib(Data()), [.deflate]).isEmpty)
        #expect(try Self.decode(Data([3, 0]), [.deflate]).isEmpty)
    }

    @Test("What ends early, or goes on after the end, is refused")
    func ends() throws {
        let data = Data("some content".utf8)
        let formats: [(Data, ContentDecoder.Coding)] = try [
            (Self.gzip(data), .gzip), (Self.zlib(data), .deflate), (Self.bare(data), .deflate),
        ]
        for (coded, coding) in formats {
            #expect(try Self.decode(coded, [coding]) == data)
            for count in 1..<coded.count { expectRefusal(Data(coded.prefix(count)), [coding]) }
            if coding != .gzip { expectRefusal(coded + Data([0]), [coding]) }
            expectRefusal(coded + Data("garbage".utf8), [coding])
        }
        for (pairs, coding) in [(Self.brotli, ContentDecoder.Coding.brotli), (Self.zstd, .zstd)] {
            for (coded, _) in pairs {
                for count in 1..<coded.count { expectRefusal(Data(coded.prefix(count)), [coding]) }
                expectRefusal(coded + Data("garbage".utf8), [coding])
            }
        }
        try expectRefusal(Self.gzip(data) + Self.gzip(data).dropLast())
        try expectRefusal(Self.gzip(Self.zlib(data).dropLast()), [.deflate, .gzip])
    }

    @Test("Zeros may follow a gzip member, but not without end, and nothing else", arguments: [1, 7, 512, 65_536])
    func padding(count: Int) throws {
        let data = Data("some content".utf8)
        let coded = try Self.gzip(data) + Self.gzip(data) + Data(count: count)
        for pieces in [1, 3, coded.count] {
            #expect(try Self.decode(coded, [.gzip], pieceSize: pieces) == data + data)
        }
        expectRefusal(coded + Data("garbage".utf8))
        expectRefusal(coded + Data(count: 65_537 - count))
        expectRefusal(Data(count: count))
    }

    /// Found by fuzzing: libzstd 1.5.4 takes a second piece for a frame of its own, and does not count what comes piece by
    /// piece.
    @Test(
        "What is wrong with a frame is, wherever it is cut",
        arguments: [
            // Both want a dictionary, and have a frame in the header.
            "28b52ffd671401000028b52ffd001409000088", "28b52ffd671428b52ffd001409000032",
            // 20 bytes announced, and none there; 32 in the next frame.
            "28b52ffd2014010000", "28b52ffd201401000028b52ffd001401000000",
            "28b52ffd201401010014012000ffffffffffffffffffffffffb52ffd00b528fd00542809060100f688",
        ])
    func damagedFrames(hexadecimal: String) throws {
        let coded = Self.bytes(hexadecimal)
        for cut in 0..<coded.count {
            let decoder = ContentDecoder([.zstd])
            #expect(throws: TransferError.self, "\(cut)") {
                for piece in [coded.prefix(cut), coded.dropFirst(cut)] {
                    try piece.withUnsafeBytes { try decoder.decode($0) { _ in } }
                }
                try decoder.finish()
            }
        }
    }

    @Test("Two frames give the same content, wherever they are cut")
    func everyCut() throws {
        for (coded, content) in Self.zstd {
            let both = coded + coded
            for cut in 0..<both.count {
                let decoder = ContentDecoder([.zstd])
                var result = Data()
                for piece in [both.prefix(cut), both.dropFirst(cut)] {
                    try piece.withUnsafeBytes { try decoder.decode($0) { result.append(contentsOf: $0) } }
                }
                try decoder.finish()
                #expect(result == content + content, "\(cut)")
            }
        }
    }

    @Test("Wrong check sums, lengths and data are refused")
    func damage() throws {
        let coded = try Self.gzip()
        for index in (coded.count - 8)..<coded.count {
            var damaged = coded
            damaged[index] ^= 1
            expectRefusal(damaged)
        }
        var sum = try Self.zlib()
        sum[sum.count - 1] ^= 1
        expectRefusal(sum, [.deflate])
        for (coded, _) in Self.zstd {
            var damaged = coded
            damaged[damaged.count - 1] ^= 1
            expectRefusal(damaged, [.zstd])
        }
        expectRefusal(Data("not gzip!".utf8))
        expectRefusal(Data("not zstd!".utf8), [.zstd])
        expectRefusal(Data(repeating: 0xFF, count: 9), [.brotli])
        try expectRefusal(Self.zlib(), [.gzip])
        try expectRefusal(Self.gzip(), [.deflate])
    }

    @Test("A coding that is not decoded is named, once content comes")
    func unknown() {
        let error = #expect(throws: TransferError.self) { try Self.decode(Data("x".utf8), [.gzip, .other("foo")]) }
        #expect(error?.kind == .cannotDecodeContent && error?.message.contains("\"foo\"") == true)
    }

    @Test(
        "Content-Encoding",
        arguments: [
            ([], []), (["identity"], []), (["gzip"], [.gzip]), (["X-GZip, Deflate"], [.gzip, .deflate]),
            (["", " , "], []), (["identity", "gzip"], [.gzip]), (["BR, zstd"], [.brotli, .zstd]),
            (["compress"], [.other("compress")]),
            (["gz ip"], [.other("unknown")]),
            (["e\u{301}"], [.other("unknown")]), ([String(repeating: "x", count: 33)], [.other("unknown")]),
            (["gzip, gzip"], [.gzip, .gzip]), (["gzip", "identity", "br"], [.gzip, .brotli]),
            (["gzip, gzip, gzip"], [.other("more than 2 codings")]),
            (["deflate, gzip", "br"], [.other("more than 2 codings")]),
            ([String(repeating: "gzip,", count: 6)], [.other("more than 2 codings")]),
        ] as [([String], [ContentDecoder.Coding])])
    func names(fields: [String], codings: [ContentDecoder.Coding]) {
        let lines = fields.map { "content-encoding: \($0)\r\n" }.joined()
        let head = ResponseHead(statusCode: 200, httpVersion: "1.1", rawFields: Array(lines.utf8))
        #expect(ContentDecoder.codings(of: head) == codings)
    }

    @Test(
        "Transfer codings other than chunked",
        arguments: [
            ([], nil), ([""], nil), (["chunked"], nil), (["CHUNKED , identity"], nil), (["chunked", "chunked"], nil),
            (["gzip"], "gzip"), (["X-GZip, chunked"], "x-gzip"), (["chunked", "br"], "br"), (["foo, gzip"], "foo"),
            (["chunked;q=1"], "chunked;q=1"), (["a b"], "unknown"),
        ] as [([String], String?)])
    func transferCodings(fields: [String], coding: String?) {
        let lines = fields.map { "transfer-encoding: \($0)\r\n" }.joined()
        let head = ResponseHead(statusCode: 200, httpVersion: "1.1", rawFields: Array(lines.utf8))
        #expect(ContentDecoder.transferCoding(of: head) == coding)
    }

    @Test("Very much of very little is decoded in pieces of bounded size")
    func bomb() throws {
        let member = try Self.gzip(Data(count: 64 << 20))
        let coded = try Self.gzip((0..<8).reduce(into: Data()) { members, _ in members += member })
        let decoder = ContentDecoder([.gzip, .gzip])
        var (total, largest) = (0, 0)
        try coded.withUnsafeBytes { bytes in
            try decoder.decode(bytes) { piece in
                total += piece.count
                largest = max(largest, piece.count)
            }
        }
        try decoder.finish()
        #expect(total == 512 << 20 && largest <= 65_536)
    }
}
