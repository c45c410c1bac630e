// SPDX-License-Identifier: MIT
internal import Foundation

/// Reads HTTP/1.1 requests (RFC 9112) out of a stream of bytes. Strict: what is wrong is an error.
struct RequestParser {
    enum Event {
        case head(method: String, target: String, version: String, headers: [(name: String, value: String)])
        case body(Data)
        case end(trailers: [(name: String, value: String)])
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    private enum State {
        case head
        case fixedBody(remaining: Int)
        case chunkSize
        case chunkData(remaining: Int)
        case chunkEnd
        case trailers
    }

    private static let longestHead = 1 << 20
    private var state = State.head
    private var bytes = Data()

    /// Whether the next event, if there is one, begins a request.
    var isBetweenRequests: Bool {
        if case .head = state { return true }
        return false
    }

    var hasUnreadBytes: Bool { !bytes.isEmpty }

    mutating func append(_ data: Data) {
        bytes.append(data)
    }

    /// The next event, or nil if more bytes are needed.
    mutating func next() throws -> Event? {
        while true {
            switch state {
            case .head:
                guard let text = try takeSection() else { return nil }
                return try parseHead(text)
            case .fixedBody(0):
                state = .head
                return .end(trailers: [])
            case .fixedBody(let remaining):
                guard let data = take(upTo: remaining) else { return nil }
                state = .fixedBody(remaining: remaining - data.count)
                return .body(data)
            case .chunkSize:
                guard let line = try takeLine() else { return nil }
                guard let size = Int(line.prefix { $0 != ";" }, radix: 16), size >= 0 else {
                    throw Malformed(description: "chunk size \"\(line)\"")
                }
                state = size == 0 ? .trailers : .chunkData(remaining: size)
            case .chunkData(0):
                state = .chunkEnd
            case .chunkData(let remaining):
                guard let data = take(upTo: remaining) else { return nil }
                state = .chunkData(remaining: remaining - data.count)
                return .body(data)
            case .chunkEnd:
                guard let line = try takeLine() else { return nil }
                guard line.isEmpty else { throw Malformed(description: "no line end after a chunk") }
                state = .chunkSize
            case .trailers:
                guard let lines = try takeTrailers() else { return nil }
                state = .head
                return .end(trailers: lines)
            }
        }
    }

    // MARK: Heads

    private mutating func parseHead(_ text: String) throws -> Event {
        var lines = text.components(separatedBy: "\r\n")
        let requestLine = lines.removeFirst().components(separatedBy: " ")
        guard requestLine.count == 3, requestLine[2].hasPrefix("HTTP/1.") else {
            throw Malformed(description: "request line \"\(requestLine.joined(separator: " "))\"")
        }
        let headers = try lines.map(Self.parseField)
        func values(_ name: String) -> [String] { headers.filter { $0.name.lowercased() == name }.map(\.value) }
        let lengths = Set(values("content-length"))
        if let coding = values("transfer-encoding").last {
            guard coding.lowercased() == "chunked", lengths.isEmpty else {
                throw Malformed(description: "Transfer-Encoding \(coding) with Content-Length \(lengths)")
            }
            state = .chunkSize
        } else if let length = lengths.first {
            guard lengths.count == 1, let count = Int(length), count >= 0 else {
                throw Malformed(description: "Content-Length \(lengths)")
            }
            state = .fixedBody(remaining: count)
        } else {
            state = .fixedBody(remaining: 0)
        }
        return .head(method: requestLine[0], target: requestLine[1], version: requestLine[2], headers: headers)
    }

    private static func parseField(_ line: String) throws -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: ":"), colon != line.startIndex, !line.hasPrefix(" ") else {
            throw Malformed(description: "header field \"\(line)\"")
        }
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        return (String(line[..<colon]), value)
    }

    // MARK: Bytes

    /// A head without the empty line that ends it.
    private mutating func takeSection() throws -> String? {
        guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else {
            guard bytes.count <= Self.longestHead else { throw Malformed(description: "a head longer than 1 MiB") }
            return nil
        }
        return try takeText(to: end.lowerBound, skipping: 4)
    }

    private mutating func takeLine() throws -> String? {
        guard let end = bytes.range(of: Data("\r\n".utf8)) else {
            guard bytes.count <= Self.longestHead else { throw Malformed(description: "a line longer than 1 MiB") }
            return nil
        }
        return try takeText(to: end.lowerBound, skipping: 2)
    }

    private mutating func takeTrailers() throws -> [(name: String, value: String)]? {
        if bytes.starts(with: Data("\r\n".utf8)) {
            _ = try takeLine()
            return []
        }
        return try takeSection()?.components(separatedBy: "\r\n").map(Self.parseField)
    }

    /// Latin-1 if it is not UTF-8, so that no byte is lost.
    private mutating func takeText(to end: Data.Index, skipping count: Int) throws -> String {
        let part = bytes[bytes.startIndex..<end]
        guard let text = String(data: part, encoding: .utf8) ?? String(data: part, encoding: .isoLatin1) else {
            throw Malformed(description: "text in no known encoding")
        }
        bytes = Data(bytes[(end + count)...])
        return text
    }

    private mutating func take(upTo count: Int) -> Data? {
        guard !bytes.isEmpty else { return nil }
        let part = Data(bytes.prefix(count))
        bytes = part.count == bytes.count ? Data() : Data(bytes.dropFirst(part.count))
        return part
    }
}
