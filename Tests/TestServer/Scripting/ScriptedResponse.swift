// SPDX-License-Identifier: MIT
package import Foundation

/// What a `TestServer` answers one request with: a response in good order, unless something here says otherwise.
///
/// ```swift
/// .ok("hello")
/// ScriptedResponse(status: 503, headers: [("Retry-After", "1")])
/// ScriptedResponse(body: .chunks(["a", "b"])).waiting(0.2, at: .beforeBody)
/// ScriptedResponse(body: .text("0123456789")).ending(.reset, afterBodyBytes: 4)
/// .script([.send("HTTP/1.1 200 OK\r\n"), .stall])
/// ```
package struct ScriptedResponse: Sendable {
    package typealias Header = (name: String, value: String)

    /// The content, and how its end is marked.
    package enum Body: Sendable {
        case none
        /// With Content-Length.
        case data(Data)
        /// With Transfer-Encoding: chunked, one chunk per element.
        case chunked([Data])
        /// With neither: it ends where the connection ends.
        case untilClose(Data)
        /// `count` bytes of `ScriptedResponse.pattern`, with Content-Length, never in memory as a whole.
        case pattern(count: Int)
        /// A resource that answers Range, If-Range and If-None-Match.
        case resource(Data, etag: String?, lastModified: String?)

        package static func text(_ text: String) -> Body { .data(Data(text.utf8)) }
        package static func chunks(_ texts: [String]) -> Body { .chunked(texts.map { Data($0.utf8) }) }
    }

    /// A place in the response where steps can be put.
    package enum Place: Sendable, Hashable {
        case beforeHead
        case beforeBody
        /// After every piece of the body (chunk, or piece made by `dripping`) but the last.
        case betweenPieces
        case afterBody
    }

    /// What becomes of the connection afterwards.
    package enum Ending: Sendable {
        /// Stays open, unless the request or the framing says that it cannot.
        case keepAlive
        /// Says `Connection: close` and closes.
        case close
        /// Closes without having said so.
        case closeUnannounced
        case closeWithoutNotify
        case reset
        case stall
    }

    /// When the response begins.
    package enum Moment: Sendable {
        /// When the request is complete.
        case afterRequest
        /// When the request's head is complete, whatever becomes of its body.
        case afterHead
    }

    package var status: Int
    /// nil: the usual phrase for the status.
    package var reason: String?
    /// Written in this order, before the framing fields that `body` adds.
    package var headers: [Header]
    package var body: Body
    /// Fields written after the last chunk of a chunked body.
    package var trailers: [Header] = []
    /// Interim responses (1xx) that go first.
    package var interim: [(status: Int, headers: [Header])] = []
    /// Written instead of the body's length.
    package var claimedContentLength: Int?
    /// The body is written in pieces of at most this many bytes.
    package var pieceSize: Int?
    /// Only so many bytes of the body's content are written before the ending.
    package var bodyLimit: Int?
    package var ending: Ending = .keepAlive
    package var moment: Moment = .afterRequest
    /// Steps put in at places.
    package var inserted: [Place: [ScriptStep]] = [:]
    /// Played instead of everything above.
    package var rawSteps: [ScriptStep]?

    package init(status: Int = 200, reason: String? = nil, headers: [Header] = [], body: Body = .none) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
    }
}

// MARK: - Ready-made responses

extension ScriptedResponse {
    /// 200 with a text.
    package static func ok(_ text: String = "", type: String = "text/plain; charset=utf-8") -> ScriptedResponse {
        ScriptedResponse(headers: [("Content-Type", type)], body: .text(text))
    }

    package static func json(_ text: String, status: Int = 200) -> ScriptedResponse {
        ScriptedResponse(status: status, headers: [("Content-Type", "application/json")], body: .text(text))
    }

    package static func status(_ status: Int) -> ScriptedResponse { ScriptedResponse(status: status) }

    package static func redirect(_ status: Int = 302, to location: String) -> ScriptedResponse {
        ScriptedResponse(status: status, headers: [("Location", location)])
    }

    /// A resource that answers Range, If-Range and If-None-Match: 200, 206, 304 or 416.
    package static func ranged(_ data: Data, etag: String? = nil, lastModified: String? = nil) -> ScriptedResponse {
        ScriptedResponse(body: .resource(data, etag: etag, lastModified: lastModified))
    }

    /// Exactly these steps; nothing is added. After the last one the connection is ready for another request.
    package static func script(_ steps: [ScriptStep]) -> ScriptedResponse {
        var response = ScriptedResponse()
        response.rawSteps = steps
        return response
    }

    /// Something that is not HTTP.
    package static var garbageStatusLine: ScriptedResponse {
        .script([.send("\u{1}\u{2}THIS IS NOT HTTP\r\n\r\n"), .close])
    }

    /// A chunk whose size is not a number.
    package static var badChunk: ScriptedResponse {
        .script([.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nXYZ\r\n!!\r\n"), .close])
    }

    /// A good response whose header section is more than `bytes` bytes long, in fields of about 1000 bytes.
    package static func hugeHeaders(bytes: Int) -> ScriptedResponse {
        let value = String(repeating: "h", count: 980)
        let headers = (0...(bytes / 1000)).map { ("X-Filler-\($0)", value) }
        return ScriptedResponse(headers: headers, body: .text("after many headers"))
    }

    /// Nothing at all, until the test opens the gate or the client goes away.
    package static func stalled(until gate: Gate? = nil, then response: ScriptedResponse = .ok()) -> ScriptedResponse {
        guard let gate else { return .script([.stall]) }
        return response.holding(gate, at: .beforeHead)
    }

    /// The request is not read beyond its head (and what came with it), and nothing is answered until the gate opens.
    package static func neverReading(until gate: Gate, then response: ScriptedResponse = .ok()) -> ScriptedResponse {
        var response = response.inserting([.stopReading, .gate(gate), .startReading], at: .beforeHead)
        response.moment = .afterHead
        return response
    }

    /// The byte at `offset` of a `.pattern` body: `offset` modulo 251, so that pieces cannot change places unseen.
    package static func pattern(at offset: Int) -> UInt8 { UInt8(offset % 251) }

    /// The first `count` bytes of the pattern.
    package static func pattern(count: Int) -> Data { Data((0..<count).map(pattern(at:))) }
}

// MARK: - Variations

extension ScriptedResponse {
    package func with(_ change: (inout ScriptedResponse) -> Void) -> ScriptedResponse {
        var copy = self
        change(&copy)
        return copy
    }

    package func adding(header name: String, _ value: String) -> ScriptedResponse {
        with { $0.headers.append((name, value)) }
    }

    package func inserting(_ steps: [ScriptStep], at place: Place) -> ScriptedResponse {
        with { $0.inserted[place, default: []] += steps }
    }

    package func waiting(_ seconds: TimeInterval, at place: Place) -> ScriptedResponse {
        inserting([.wait(seconds: seconds)], at: place)
    }

    /// Stops at `place` until the test opens the gate.
    package func holding(_ gate: Gate, at place: Place) -> ScriptedResponse { inserting([.gate(gate)], at: place) }

    /// Writes the body `bytes` bytes at a time, with a pause between the pieces.
    package func dripping(_ bytes: Int, every seconds: TimeInterval) -> ScriptedResponse {
        waiting(seconds, at: .betweenPieces).with { $0.pieceSize = bytes }
    }

    /// Announces another Content-Length than the body has.
    package func claiming(contentLength: Int) -> ScriptedResponse { with { $0.claimedContentLength = contentLength } }

    /// Ends the connection like this, after only `bytes` bytes of the body if given.
    package func ending(_ ending: Ending, afterBodyBytes bytes: Int? = nil) -> ScriptedResponse {
        with {
            $0.ending = ending
            $0.bodyLimit = bytes
        }
    }

    /// Sends an interim (1xx) response first.
    package func preceded(by status: Int, headers: [Header] = []) -> ScriptedResponse {
        with { $0.interim.append((status, headers)) }
    }

    /// Begins when the request's head is there, without waiting for its body.
    package func beforeRequestBody() -> ScriptedResponse { with { $0.moment = .afterHead } }
}
