// SPDX-License-Identifier: MIT
internal import Foundation

/// Makes events of lines, as the WHATWG's HTML standard has it ("Interpreting an event stream").
struct ServerSentEventParser {
    /// Bytes that the lines of one event may have together, but for those that nothing is kept of.
    let limit: Int
    /// The last event ID, as of the latest event: a reconnection begins with it.
    private(set) var lastEventID = ""
    /// Milliseconds that the server wants between connections; nil: it has not said.
    private(set) var reconnectionTime: Int?

    private var idBuffer: [UInt8] = []
    private var type: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var retry: Int?
    private var length = 0
    private var isFirstLine = true

    /// IDs that are longer, or have control characters, are taken for none: they would have to fit into a header field.
    static let longestID = 4096
    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }
    /// A day, in milliseconds: what is more is taken for that.
    static let longestRetry = 86_400_000

    init(limit: Int, lastEventID: String = "", reconnectionTime: Int? = nil) {
        self.limit = max(0, limit)
        self.reconnectionTime = reconnectionTime
        self.lastEventID = lastEventID
        idBuffer = Array(lastEventID.utf8)
    }

    /// Takes a line, without its end. The event that is complete with it, if one is.
    mutating func take(_ line: [UInt8]) throws(ResponseStreamError) -> ServerSentEvent? {
        var line = line[...]
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        }
        guard !line.isEmpty else { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        let name = line[..<(colon ?? line.endIndex)]
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        if name.elementsEqual("data".utf8) {
            try count(line)
            if hasData { data.append(UInt8(ascii: "\n")) }
            hasData = true
            data += value
        } else if name.elementsEqual("event".utf8) {
            try count(line)
            type = Array(value)
        } else if name.elementsEqual("id".utf8) {
            try count(line)
            if value.count <= Self.longestID, !value.contains(where: Self.isControl) { idBuffer = Array(value) }
        } else if name.elementsEqual("retry".utf8) {
            try count(line)
            takeRetry(value)
        }
        // Anything else is a comment (an empty name), or is not known. Servers send that to keep an idle connection for
        // as long as they like, so it does not count.
        return nil
    }

    private mutating func count(_ line: ArraySlice<UInt8>) throws(ResponseStreamError) {
        guard line.count <= limit - length else { throw .eventTooLong(limit: limit) }
        length += line.count
    }

    private mutating func takeRetry(_ value: ArraySlice<UInt8>) {
        guard !value.isEmpty, value.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else { return }
        var number = 0
        for digit in value where number < Self.longestRetry { number = number * 10 + Int(digit - UInt8(ascii: "0")) }
        retry = min(number, Self.longestRetry)
        reconnectionTime = retry
    }

    /// An empty line.
    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            type = []
            data = []
            hasData = false
            retry = nil
            length = 0
        }
        lastEventID = String(decoding: idBuffer, as: UTF8.self)
        guard hasData else { return nil }
        return ServerSentEvent(
            id: lastEventID, event: type.isEmpty ? "message" : String(decoding: type, as: UTF8.self),
            data: String(decoding: data, as: UTF8.self), retry: retry.map { Double($0) / 1000 })
    }
}
