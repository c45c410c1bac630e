// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The head of a request (RFC 9112, section 3).
struct HTTP1RequestHead {
    enum Framing: Equatable {
        case length(Int)
        case chunked
    }

    let method: String
    /// As in the request line.
    let target: String
    /// True for HTTP/1.0, whose connections close by default.
    let isOld: Bool
    let fields: [HeaderField]
    let framing: Framing

    /// The tokens of all fields of that name, in lower case.
    func tokens(_ name: String) -> [String] {
        fields.filter { $0.name.isFieldName(name) }
            .flatMap { $0.value.utf8.split(separator: UInt8(ascii: ",")) }
            .map { String(decoding: $0.trimmingBlanks.map(\.lowercasedASCII), as: UTF8.self) }
    }

    func value(_ name: String) -> String? { fields.first { $0.name.isFieldName(name) }?.value }
}

/// A request cannot be read, or is too large: with the status that says so.
struct HTTP1RequestError: Error, Equatable {
    let status: Int
    let reason: String
}

/// Reads requests of HTTP/1.1 out of a stream of bytes.
struct HTTP1RequestParser {
    enum Event {
        case head(HTTP1RequestHead)
        case content(ArraySlice<UInt8>)
        case end
    }

    private enum State {
        case head
        case content(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailers
    }

    private static let longestHead = 256 * 1024
    private var state = State.head
    private var bytes: [UInt8] = []
    private var start = 0
    /// The position up to which the end of a line was looked for.
    private var scanned = 0

    /// The bytes that have come and were not looked at.
    var unreadCount: Int { bytes.count - start }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > 0 {
            bytes.removeFirst(start)
            scanned -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next event; nil: more bytes are needed.
    mutating func next() throws(HTTP1RequestError) -> Event? {
        while true {
            switch state {
            case .head:
                // Empty lines before a request are passed over (RFC 9112, 2.2).
                if start < bytes.count, bytes[start] == 0x0D || bytes[start] == 0x0A {
                    take(1)
                    continue
                }
                guard let section = try section() else { return nil }
                let head = try Self.head(bytes[section])
                take(section.count)
                switch head.framing {
                case .length(let count): state = .content(left: count)
                case .chunked: state = .chunkSize
                }
                return .head(head)
            case .content(0):
                state = .head
                return .end
            case .content(let left):
                guard let part = content(left) else { return nil }
                state = .content(left: left - part.count)
                return .content(part)
            case .chunkSize:
                guard let line = try line() else { return nil }
                let size = try Self.chunkSize(bytes[line])
                take(line.count)
                state = size == 0 ? .trailers : .chunk(left: size)
            case .chunk(0):
                state = .chunkEnd
            case .chunk(let left):
                guard let part = content(left) else { return nil }
                state = .chunk(left: left - part.count)
                return .content(part)
            case .chunkEnd:
                guard let line = try line() else { return nil }
                guard bytes[line].allSatisfy({ $0 == 0x0D || $0 == 0x0A }) else {
                    throw HTTP1RequestError(status: 400, reason: "a chunk is longer than its size")
                }
                take(line.count)
                state = .chunkSize
            case .trailers:
                guard let line = try line() else { return nil }
                let isEmpty = bytes[line].allSatisfy { $0 == 0x0D || $0 == 0x0A }
                take(line.count)
                guard isEmpty else { continue }
                state = .head
                return .end
            }
        }
    }

    // MARK: Heads

    private static func head(_ section: ArraySlice<UInt8>) throws(HTTP1RequestError) -> HTTP1RequestHead {
        let lineEnd = section.firstIndex(of: 0x0A) ?? section.endIndex
        let line = section[..<lineEnd].filter { $0 != 0x0D }
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenCharacter), !parts[1].isEmpty,
            parts[1].allSatisfy({ (0x21...0x7E).contains($0) }), parts[2].hasPrefixIgnoringCase("HTTP/")
        else { throw HTTP1RequestError(status: 400, reason: "the request line is malformed") }
        guard parts[2].elementsEqual("HTTP/1.1".utf8) || parts[2].elementsEqual("HTTP/1.0".utf8) else {
            throw HTTP1RequestError(status: 505, reason: "the version of HTTP is neither 1.0 nor 1.1")
        }
        var fields: [HeaderField] = []
        var length = ContentLength()
        var isMalformed = false
        section[lineEnd...].dropFirst().withUnsafeBytes { bytes in
            FieldLines.forEach(in: bytes, from: 0) { name, value in
                let name = String(decoding: bytes[name], as: UTF8.self)
                fields.append(HeaderField(name, Self.text(bytes[value])))
                return true
            }
            var start = 0
            while start < bytes.count {
                let end = FieldLines.end(bytes, from: start)
                let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                length.take(line: line)
                if !isFieldLine(line) { isMalformed = true }
                start = end
            }
        }
        guard !isMalformed else { throw HTTP1RequestError(status: 400, reason: "a field line is malformed") }
        guard !length.isMalformed, let count = Int(exactly: length.value ?? 0) else {
            throw HTTP1RequestError(status: 400, reason: "Content-Length is malformed")
        }
        let framed = HTTP1RequestHead(
            method: String(decoding: parts[0], as: UTF8.self), target: String(decoding: parts[1], as: UTF8.self),
            isOld: parts[2].last == UInt8(ascii: "0"), fields: fields, framing: .length(count))
        let codings = framed.tokens("Transfer-Encoding")
        guard !codings.isEmpty else { return framed }
        guard codings == ["chunked"], length.value == nil else {
            throw HTTP1RequestError(status: 400, reason: "Transfer-Encoding is not chunked, or there is a length, too")
        }
        return HTTP1RequestHead(
            method: framed.method, target: framed.target, isOld: framed.isOld, fields: fields, framing: .chunked)
    }

    /// No blank before the colon, no folded value: a server has to refuse the one and may refuse the other (RFC 9112,
    /// 5.1 and 5.2). The empty line that ends the head passes.
    private static func isFieldLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            return line.allSatisfy { $0 == 0x0D || $0 == 0x0A }
        }
        return colon > 0 && line[..<colon].allSatisfy(\.isTokenCharacter)
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func chunkSize(_ line: ArraySlice<UInt8>) throws(HTTP1RequestError) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x0D && $0 != 0x0A }.trimmingBlanks
        guard (1...15).contains(digits.count), digits.first != UInt8(ascii: "+"),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0
        else { throw HTTP1RequestError(status: 400, reason: "the size of a chunk is malformed") }
        return size
    }

    // MARK: Bytes

    private mutating func take(_ count: Int) {
        start += count
        scanned = start
        guard start == bytes.count else { return }
        bytes.removeAll(keepingCapacity: true)
        start = 0
        scanned = 0
    }

    private mutating func content(_ limit: Int) -> ArraySlice<UInt8>? {
        let part = bytes[start...].prefix(limit)
        guard !part.isEmpty else { return nil }
        take(part.count)
        return part
    }

    /// The place of a line, with its end.
    private mutating func line() throws(HTTP1RequestError) -> Range<Int>? {
        guard let end = bytes[scanned...].firstIndex(of: 0x0A) else {
            scanned = bytes.count
            try checkLength(bytes.count - start)
            return nil
        }
        scanned = start
        return start..<end + 1
    }

    /// The place of a head, with the empty line that ends it.
    private mutating func section() throws(HTTP1RequestError) -> Range<Int>? {
        while true {
            guard let end = bytes[scanned...].firstIndex(of: 0x0A) else {
                scanned = bytes.count
                break
            }
            // What stands before the next line's end decides, and may not have come.
            scanned = end
            guard end + 1 < bytes.count else { break }
            if bytes[end + 1] == 0x0A { return try section(to: end + 2) }
            if bytes[end + 1] == 0x0D {
                guard end + 2 < bytes.count else { break }
                if bytes[end + 2] == 0x0A { return try section(to: end + 3) }
            }
            scanned = end + 1
        }
        try checkLength(bytes.count - start)
        return nil
    }

    private func section(to end: Int) throws(HTTP1RequestError) -> Range<Int> {
        try checkLength(end - start)
        return start..<end
    }

    private func checkLength(_ length: Int) throws(HTTP1RequestError) {
        guard length <= Self.longestHead else {
            throw HTTP1RequestError(status: 431, reason: "the head is longer than \(Self.longestHead) bytes")
        }
    }
}
