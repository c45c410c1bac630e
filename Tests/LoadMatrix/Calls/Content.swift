// SPDX-License-Identifier: MIT
import Foundation

/// What a URL has for content: its name says size and seed, and server and client make the same bytes of these.
enum Content {
    static let seeds = 16
    /// Sizes that a small request may have, and those of long bodies.
    static let small = [0, 1, 17, 1_024, 1_024, 5_000, 16_384]
    static let long = [70_000, 262_144, 400_000]

    private static let table: [String: Data] = {
        var table: [String: Data] = [:]
        for size in Set(small + long) {
            for seed in 0..<seeds { table["\(size)-\(seed)"] = make(size, seed) }
        }
        return table
    }()

    /// The bytes of a name such as `1024-3`; other sizes are made when they are asked for.
    static func bytes(_ size: Int, _ seed: Int) -> Data {
        table["\(size)-\(seed)"] ?? make(size, seed)
    }

    private static func make(_ size: Int, _ seed: Int) -> Data {
        var dice = Dice(seed: UInt64(seed) << 32 | UInt64(size))
        var words = [UInt64](repeating: 0, count: size / 8 + 1)
        for index in words.indices { words[index] = dice.next() }
        return words.withUnsafeBytes { Data($0.prefix(size)) }
    }

    /// What a file has. Foundation's `Data(contentsOf:)` loses a page with each empty file.
    static func of(file: URL) throws -> Data {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        return try handle.readToEnd() ?? Data()
    }

    /// Lines of text, as long as the bytes of the name say.
    static func text(_ size: Int, _ seed: Int) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(size)
        for (index, byte) in bytes(size / 2, seed).enumerated() {
            result.append(digits[Int(byte >> 4)])
            result.append(index % 37 == 36 ? UInt8(ascii: "\n") : digits[Int(byte & 15)])
        }
        return String(decoding: result, as: UTF8.self)
    }

    struct Payload: Codable, Equatable, Sendable {
        var size: Int
        var seed: Int
        var text: String
    }

    static func payload(_ size: Int, _ seed: Int) -> Payload {
        Payload(size: size, seed: seed, text: text(min(size, 16_384), seed))
    }

    static func json(_ size: Int, _ seed: Int) throws -> Data {
        try JSONEncoder().encode(payload(size, seed))
    }

    /// The edge of the square images.
    static let edge = 24

    /// The pixels of an image: red, green and blue for each, top row first.
    static func pixels(_ seed: Int) -> [UInt8] { Array(bytes(edge * edge * 3, seed)) }

    /// A bitmap file with these pixels.
    static func bitmap(_ seed: Int) -> Data {
        let pixels = pixels(seed)
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(value >> ($0 * 8) & 255) }
        }
        let header =
            Array("BM".utf8) + little(54 + pixels.count, 4) + little(0, 4) + little(54, 4) + little(40, 4)
            + little(edge, 4) + little(edge, 4) + little(1, 2) + little(24, 2) + little(0, 4)
            + little(pixels.count, 4) + little(2_835, 4) + little(2_835, 4) + little(0, 8)
        var file = Data(header)
        for row in (0..<edge).reversed() {
            for column in 0..<edge {
                let first = (row * edge + column) * 3
                file.append(contentsOf: [pixels[first + 2], pixels[first + 1], pixels[first]])
            }
        }
        return file
    }

    static func event(_ index: Int, _ seed: Int) -> String {
        let bytes = bytes(1_024, seed)
        return "\(seed)-\(index)-"
            + bytes.dropFirst(index % 500).prefix(20).map { String($0, radix: 16) }.joined()
    }
}
