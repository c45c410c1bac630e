// SPDX-License-Identifier: MIT
import Foundation

/// What a server sends, and what is to become of it: an entry of `Replies.txt`.
struct Reply: Sendable {
    /// How a request ended.
    enum Verdict: Equatable, Sendable {
        case response(status: Int, content: Data)
        /// The code of the `URLError`.
        case failure(Int)
    }

    var name: String
    var bytes = Data()
    var method = "GET"
    /// The server keeps the connection open after the reply.
    var staysOpen = false
    /// Never sent byte by byte.
    var isWhole = false
    var verdict = Verdict.failure(0)
    /// Why the `curl` command does not end in the same way; nil: it does.
    var difference: String?

    /// The pieces in which it is sent: one, or bytes. Of a long one only the beginning and the end come byte by byte.
    func pieces(single: Bool) -> [Data] {
        guard single, !isWhole else { return [bytes] }
        let edge = 400
        guard bytes.count > 2 * edge else { return bytes.map { Data([$0]) } }
        return bytes.prefix(edge).map { Data([$0]) } + [bytes.dropFirst(edge).dropLast(edge)]
            + bytes.suffix(edge).map { Data([$0]) }
    }
}

extension Reply {
    /// Why the table cannot be read.
    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    /// All entries of the table beside this file.
    static func table() throws -> [Reply] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Replies.txt")
        var replies: [Reply] = []
        for (index, line) in try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        ).enumerated() {
            let text = line.dropFirst(2)
            let place = Malformed(description: "Replies.txt:\(index + 1): \(line)")
            switch line.prefix(2) {
            case "# ": replies.append(Reply(name: String(text)))
            case "", "##": continue
            case _ where replies.isEmpty: throw place
            case "> ": replies[replies.count - 1].bytes += try Self.unescaped(text.utf8, place)
            case "@ ": try replies[replies.count - 1].take(options: text, place)
            case "= ": replies[replies.count - 1].verdict = try Verdict(text, place)
            case "~ ": replies[replies.count - 1].difference = String(text)
            default: throw place
            }
        }
        return replies
    }

    private mutating func take(options: Substring, _ place: Malformed) throws(Malformed) {
        for option in options.split(separator: " ") {
            switch option {
            case "HEAD": method = "HEAD"
            case "open": staysOpen = true
            case "whole": isWhole = true
            default: throw place
            }
        }
    }

    /// `\r`, `\n`, `\t`, `\0`, `\\`, `\xNN`, and `\*N(...)` for N times what stands in the brackets.
    fileprivate static func unescaped(_ text: Substring.UTF8View, _ place: Malformed) throws(Malformed) -> Data {
        var result = Data()
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "r"): result.append(13)
            case UInt8(ascii: "n"): result.append(10)
            case UInt8(ascii: "t"): result.append(9)
            case UInt8(ascii: "0"): result.append(0)
            case UInt8(ascii: "\\"): result.append(92)
            case UInt8(ascii: "x"):
                guard let value = UInt8(Substring(rest.prefix(2)), radix: 16) else { throw place }
                result.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "*"):
                let digits = rest.prefix { $0 != UInt8(ascii: "(") }
                guard let count = Int(Substring(digits)), let end = closing(rest) else { throw place }
                let piece = try unescaped(rest[rest.index(after: digits.endIndex)..<end], place)
                for _ in 0..<count { result += piece }
                rest = rest[rest.index(after: end)...]
            default: throw place
            }
        }
        return result
    }

    /// The bracket that closes the first one.
    private static func closing(_ text: Substring.UTF8View) -> Substring.Index? {
        var depth = 0
        return text.indices.first { index in
            if text[index] == UInt8(ascii: "(") { depth += 1 }
            if text[index] == UInt8(ascii: ")") { depth -= 1 }
            return text[index] == UInt8(ascii: ")") && depth == 0
        }
    }
}

extension Reply.Verdict: CustomStringConvertible {
    /// As in the table: "200 hello", or "error -1017".
    init(_ text: Substring, _ place: Reply.Malformed) throws(Reply.Malformed) {
        let words = text.split(separator: " ", maxSplits: 1)
        if words.count == 2, words[0] == "error", let code = Int(words[1]) {
            self = .failure(code)
        } else if let first = words.first, let status = Int(first) {
            let content = words.count == 2 ? words[1].utf8 : Substring().utf8
            self = .response(status: status, content: try Reply.unescaped(content, place))
        } else {
            throw place
        }
    }

    var description: String {
        switch self {
        case .failure(let code): "error \(code)"
        case .response(let status, let content): content.isEmpty ? "\(status)" : "\(status) \(Self.escaped(content))"
        }
    }

    private static func escaped(_ data: Data) -> String {
        if let first = data.first, data.count > 40, data.allSatisfy({ $0 == first }) {
            return "\\*\(data.count)(\(escaped(Data([first]))))"
        }
        return data.map { byte in
            switch byte {
            case 13: "\\r"
            case 10: "\\n"
            case 9: "\\t"
            case 0: "\\0"
            case 92: "\\\\"
            case 0x20..<0x7F: String(UnicodeScalar(byte))
            default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
