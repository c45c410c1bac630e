// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// Random parameter trees, and the pairs they should give, written as plainly as the rules.
enum RandomParameters {
    static let alphabet: [Character] = Array("abcXYZ019 &=+%[]#?/\"\\\r\n\té漢😃\u{301}\u{0}")

    static func string(using generator: inout SeededRandom) -> String {
        String(
            (0..<Int.random(in: 0...8, using: &generator)).compactMap { _ in alphabet.randomElement(using: &generator) }
        )
    }

    static func value(depth: Int, using generator: inout SeededRandom) -> Any {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0: string(using: &generator)
        case 1: Int.random(in: -1000...1000, using: &generator)
        case 2: Bool.random(using: &generator)
        case 3: NSNull()
        case 4: Double(Int.random(in: -8...8, using: &generator)) / 2
        case 5: (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth: depth - 1, using: &generator) }
        case 6:
            Set((0..<Int.random(in: 0...3, using: &generator)).map { _ in Int.random(in: 0...99, using: &generator) })
        default: dictionary(depth: depth - 1, using: &generator)
        }
    }

    static func dictionary(depth: Int, using generator: inout SeededRandom) -> [String: Any] {
        var result: [String: Any] = [:]
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            result[string(using: &generator)] = value(depth: depth, using: &generator)
        }
        return result
    }

    static func pairs(_ key: String?, _ value: Any) -> [(String, String?)] {
        switch value {
        case let dictionary as [String: Any]:
            dictionary.sorted { scalars($0.key).lexicographicallyPrecedes(scalars($1.key)) }
                .flatMap { name, child in pairs(key.map { "\($0)[\(name)]" } ?? name, child) }
        case let array as [Any]: array.flatMap { pairs("\(key ?? "")[]", $0) }
        case let set as Set<Int>: set.map(\.description).sorted().map { (key ?? "", $0) }
        case is NSNull: [(key ?? "", nil)]
        case let bool as Bool: [(key ?? "", bool ? "1" : "0")]
        case let int as Int: [(key ?? "", "\(int)")]
        case let double as Double: [(key ?? "", double == double.rounded() ? "\(Int(double))" : "\(double)")]
        default: [(key ?? "", "\(value)")]
        }
    }

    private static func scalars(_ text: String) -> [UInt32] {
        text.unicodeScalars.map(\.value)
    }
}
