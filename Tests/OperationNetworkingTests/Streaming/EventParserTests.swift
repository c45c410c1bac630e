// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Lines and events", .timeLimit(.minutes(1))) struct EventParserTests {
    /// The lines of a text that comes in pieces of `size` bytes.
    private static func lines(_ text: [UInt8], by size: Int, limit: Int = 1000) throws -> [String] {
        var splitter = LineSplitter(limit: limit)
        var lines: [String] = []
        for start in stride(from: 0, to: text.count, by: size) {
            splitter.add(Data(text[start..<min(start + size, text.count)]))
            while let line = try splitter.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        }
        if let rest = splitter.finish() { lines.append(String(decoding: rest, as: UTF8.self)) }
        return lines
    }

    private static func events(
        _ text: String, by size: Int = 1 << 20, limit: Int = 1000
    ) throws -> [ServerSentEvent] {
        var parser = ServerSentEventParser(limit: limit)
        var splitter = LineSplitter(limit: limit)
        var events: [ServerSentEvent] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            splitter.add(Data(bytes[start..<min(start + size, bytes.count)]))
            while let line = try splitter.next() {
                if let event = try parser.take(line) { events.append(event) }
            }
        }
        return events
    }

    @Test("LF, CRLF and CR end a line, wherever the pieces are cut", arguments: 1..<12)
    func lineEnds(size: Int) throws {
        let text = Array("one\ntwo\r\nthree\rfour\r\r\n\n\r\nlast é".utf8)
        #expect(
            try Self.lines(text, by: size) == ["one", "two", "three", "four", "", "", "", "last é"])
        #expect(try Self.lines(Array("a\r\n".utf8), by: size) == ["a"])
        #expect(try Self.lines([], by: size) == [])
        #expect(try Self.lines(Array("\r".utf8), by: size) == [""])
    }

    @Test("A line may be as long as the limit, and no byte longer; what is no UTF-8 is replaced")
    func limits() throws {
        #expect(try Self.lines(Array("1234\n123\n".utf8), by: 2, limit: 4) == ["1234", "123"])
        #expect(throws: ResponseStreamError.lineTooLong(limit: 4)) {
            try Self.lines(Array("12345".utf8), by: 2, limit: 4)
        }
        #expect(try Self.lines([0x61, 0xFF, 0x0A], by: 1) == ["a\u{FFFD}"])
    }

    @Test("The examples of the standard give the events that it says", arguments: [1, 2, 3, 1000])
    func examples(size: Int) throws {
        // WHATWG HTML, 9.2.6.
        #expect(
            try Self.events("data: YHOO\ndata: +2\ndata: 10\n\n", by: size)
                == [ServerSentEvent(data: "YHOO\n+2\n10")])
        #expect(
            try Self.events(
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n", by: size
            )
                == [
                    ServerSentEvent(id: "1", data: "first event"), ServerSentEvent(data: "second event"),
                    ServerSentEvent(data: " third event"),
                ])
        #expect(
            try Self.events("data\n\ndata\ndata\n\ndata:", by: size)
                == [ServerSentEvent(data: ""), ServerSentEvent(data: "\n")])
        #expect(
            try Self.events("data:test\n\ndata: test\n\n", by: size)
                == [ServerSentEvent(data: "test"), ServerSentEvent(data: "test")])
    }

    @Test("Types, identifiers that last, retry times, a byte order mark, and all ends of lines")
    func fields() throws {
        #expect(
            try Self.events("\u{FEFF}event: add\rdata: 1\rid: é\r\revent: gone\r\n\r\ndata: 2\r\n\r\n", by: 1)
                == [ServerSentEvent(id: "é", event: "add", data: "1"), ServerSentEvent(id: "é", data: "2")])
        #expect(
            try Self.events("retry: 1500\ndata: x\n\nretry: 15s\ndata: y\n\nretry:\ndata: z\n\n").map(\.retry)
                == [1.5, nil, nil])
        // More digits than fit a number.
        #expect(try Self.events("retry: \(String(repeating: "9", count: 400))\ndata: x\n\n").map(\.retry) == [86_400])
        // An identifier with NUL is none, nor is one that no header field may hold, or should have to.
        for control in ["\u{0}", "\u{1F}", "\u{7F}"] {
            #expect(try Self.events("id: 7\ndata: a\n\nid: 8\(control)\ndata: b\n\n").map(\.id) == ["7", "7"])
        }
        let long = String(repeating: "i", count: ServerSentEventParser.longestID + 1)
        #expect(try Self.events("id: \(long)\ndata: a\n\n", limit: 10_000).map(\.id) == [""])
        // An identifier counts also without data, and a name has to be written as it is.
        #expect(try Self.events("id: 9\n\nData: no\nfoo: bar\ndata: a\n\n") == [ServerSentEvent(id: "9", data: "a")])
    }

    @Test("An event that grows beyond the limit is an error, also in short lines")
    func longEvent() {
        let text = String(repeating: "data: 1234\n", count: 10)
        #expect(throws: ResponseStreamError.eventTooLong(limit: 50)) { try Self.events(text, limit: 50) }
        #expect(throws: Never.self) { try Self.events(text, limit: 100) }
    }

    @Test("What nothing is kept of does not count: an idle stream may go on for ever")
    func idle() throws {
        let idle = String(repeating: ": ping\n:\nfoo: bar\nping\n", count: 100)
        #expect(try Self.events(idle + "data: 1\n\n", limit: 50) == [ServerSentEvent(data: "1")])
        // All that is kept counts.
        for field in ["event: x\n", "id: 1234\n", "retry: 10\n"] {
            #expect(throws: ResponseStreamError.eventTooLong(limit: 50)) {
                try Self.events(String(repeating: field, count: 10), limit: 50)
            }
        }
    }
}
