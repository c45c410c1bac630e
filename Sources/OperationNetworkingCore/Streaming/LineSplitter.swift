// SPDX-License-Identifier: MIT
internal import Foundation

/// Cuts bytes into lines, ended by LF, CRLF or CR, wherever the pieces that come are cut.
struct LineSplitter {
    /// Bytes that a line may have without its end.
    let limit: Int
    private var chunk: [UInt8] = []
    private var position = 0
    /// The beginning of a line whose end has not come.
    private var line: [UInt8] = []
    /// The last byte was a CR: an LF after it belongs to it.
    private var endedWithCR = false

    init(limit: Int) {
        self.limit = Swift.max(0, limit)
    }

    /// Takes what comes next. Before it, `next()` has answered with nil.
    mutating func add(_ data: Data) {
        chunk = [UInt8](data)
        position = 0
    }

    /// The next whole line, without its end; nil: more has to come.
    mutating func next() throws(ResponseStreamError) -> [UInt8]? {
        if endedWithCR, position < chunk.count {
            endedWithCR = false
            if chunk[position] == UInt8(ascii: "\n") { position += 1 }
        }
        let rest = chunk[position...]
        let end = rest.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? rest.endIndex
        guard line.count + (end - position) <= limit else { throw .lineTooLong(limit: limit) }
        line += chunk[position..<end]
        guard end < chunk.count else {
            position = chunk.count
            return nil
        }
        endedWithCR = chunk[end] == UInt8(ascii: "\r")
        position = end + 1
        defer { line = [] }
        return line
    }

    /// Returns what is left at the end of all bytes: a line without an end; nil: nothing.
    mutating func finish() -> [UInt8]? {
        guard !line.isEmpty else { return nil }
        defer { line = [] }
        return line
    }
}
