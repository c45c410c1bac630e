// SPDX-License-Identifier: MIT
internal import FlyingFox
internal import FlyingSocks
internal import Foundation

/// `/range/N?duration=SECONDS&chunk_size=BYTES`: the alphabet over and over, N bytes of it, spread over a duration.
///
/// Beyond httpbin: the entity tag is in quotes, as RFC 9110 wants it, and `If-Range` is looked at, so that a paused
/// download can go on where it stopped.
struct RangeEndpoint {
    let count: Int
    let request: HTTPRequest

    var response: HTTPResponse {
        guard count > 0, count <= 100 * 1024 else { return HTTPResponse(statusCode: .notFound) }
        var headers: HTTPHeaders = [
            .contentType: "application/octet-stream", .acceptRanges: "bytes", .eTag: entityTag,
        ]
        let start = firstByte ?? 0
        guard start < count else {
            headers[.contentRange] = "bytes */\(count)"
            return HTTPResponse(statusCode: .requestedRangeNotSatisfiable, headers: headers)
        }
        if firstByte != nil { headers[.contentRange] = "bytes \(start)-\(count - 1)/\(count)" }
        let chunkSize = max(1, parameter("chunk_size").flatMap(Int.init) ?? 10 * 1024)
        let duration = parameter("duration").flatMap(Double.init) ?? 0
        let bytes = PacedAlphabet(
            range: start..<count, chunkSize: chunkSize,
            pause: .seconds(max(0, duration) / Double(count) * Double(chunkSize)))
        return HTTPResponse(
            statusCode: firstByte == nil ? .ok : HTTPStatusCode(206, phrase: "Partial Content"), headers: headers,
            body: HTTPBodySequence(from: bytes, count: count - start, suggestedBufferSize: chunkSize))
    }

    private var entityTag: String { "\"range\(count)\"" }

    private func parameter(_ name: String) -> String? {
        request.query.first { $0.name == name }?.value
    }

    /// The first byte of a range like `bytes=100-`, unless it is of another representation.
    private var firstByte: Int? {
        guard let range = request.headers[.range], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        if let condition = request.headers[HTTPHeader("If-Range")], condition != entityTag { return nil }
        return Int(range.dropFirst("bytes=".count).dropLast())
    }
}

extension HTTPStatusCode {
    fileprivate static let requestedRangeNotSatisfiable = HTTPStatusCode(416, phrase: "Range Not Satisfiable")
}

/// A part of the repeated alphabet, with a pause after each chunk.
struct PacedAlphabet: AsyncBufferedSequence {
    typealias Element = UInt8

    let range: Range<Int>
    let chunkSize: Int
    let pause: Duration

    /// The byte at an index.
    static func byte(at index: Int) -> UInt8 {
        UInt8(ascii: "a") + UInt8(index % 26)
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self, position: range.lowerBound)
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        let sequence: PacedAlphabet
        var position: Int

        mutating func next() async throws -> UInt8? {
            try await nextBuffer(suggested: 1)?.first
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            let end = Swift.min(sequence.range.upperBound, position + Swift.min(count, sequence.chunkSize))
            guard position < end else { return nil }
            if position > sequence.range.lowerBound, sequence.pause > .zero {
                try await Task.sleep(for: sequence.pause)
            }
            defer { position = end }
            return (position..<end).map(PacedAlphabet.byte)
        }
    }
}
