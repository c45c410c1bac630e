// SPDX-License-Identifier: MIT

/// A frame of HTTP/2 (RFC 9113, section 4.1), well formed or not.
struct HTTP2Frame {
    enum Kind: UInt8 {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    enum Setting: UInt16 {
        case headerTableSize = 1, enablePush, maximumConcurrentStreams, initialWindowSize, maximumFrameSize
        case maximumHeaderListSize
    }

    /// Error codes (section 7).
    enum Failure: UInt32, CaseIterable {
        case none, protocolError, internalError, flowControl, settingsTimeout, streamClosed, frameSize, refusedStream
        case cancel, compression, connect, enhanceYourCalm, inadequateSecurity, http11Required
    }

    /// `END_STREAM` of DATA and HEADERS, `ACK` of SETTINGS and PING.
    static let end: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let withPriority: UInt8 = 0x20

    var kind: UInt8
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []

    init(_ kind: Kind, _ flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        (self.kind, self.flags, self.stream, self.payload) = (kind.rawValue, flags, stream, payload)
    }

    var bytes: [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), kind, flags]
            + Self.big(stream) + payload
    }

    static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    // MARK: Frames

    static func settings(_ values: (Setting, UInt32)...) -> HTTP2Frame {
        HTTP2Frame(.settings, values.flatMap { big($0.0.rawValue) + big($0.1) })
    }

    private init(_ kind: Kind, _ payload: [UInt8]) { self.init(kind, 0, stream: 0, payload) }

    static let settingsAcknowledgement = HTTP2Frame(.settings, end)

    /// Fields as literals without indexing and without Huffman's code (RFC 7541, section 6.2.2).
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { name, value in [0x00] + text(name) + text(value) }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (length, prefix) = (bytes.count - 127, [UInt8(127)])
        while length >= 128 {
            prefix.append(UInt8(length & 127 | 128))
            length >>= 7
        }
        return prefix + [UInt8(length)] + bytes
    }

    static func headers(_ stream: UInt32, _ fields: [(String, String)], ends: Bool = false) -> HTTP2Frame {
        HTTP2Frame(.headers, endHeaders | (ends ? end : 0), stream: stream, block(fields))
    }

    /// A 200 with further fields.
    static func ok(_ stream: UInt32, _ fields: [(String, String)] = [], ends: Bool = false) -> HTTP2Frame {
        headers(stream, [(":status", "200")] + fields, ends: ends)
    }

    static func data(_ stream: UInt32, _ text: String, ends: Bool = false) -> HTTP2Frame {
        HTTP2Frame(.data, ends ? end : 0, stream: stream, Array(text.utf8))
    }

    static func reset(_ stream: UInt32, _ failure: Failure) -> HTTP2Frame {
        HTTP2Frame(.resetStream, stream: stream, big(failure.rawValue))
    }

    static func goAway(last: UInt32, _ failure: Failure) -> HTTP2Frame {
        HTTP2Frame(.goAway, big(last) + big(failure.rawValue))
    }

    static func window(_ stream: UInt32, _ increment: UInt32) -> HTTP2Frame {
        HTTP2Frame(.windowUpdate, stream: stream, big(increment))
    }

    static func ping(_ number: UInt64 = 0, acknowledges: Bool = false) -> HTTP2Frame {
        HTTP2Frame(.ping, acknowledges ? end : 0, big(number))
    }
}

/// A connection that speaks HTTP/2 with prior knowledge.
extension ScriptedConnection {
    /// Reads the client's preface, and sends settings and the acknowledgement of the client's. False: the client closed.
    func beginHTTP2(_ settings: HTTP2Frame = .settings()) -> Bool {
        guard read(24) != nil, write(settings.bytes) else { return false }
        return write(HTTP2Frame.settingsAcknowledgement.bytes)
    }

    func readFrame() -> HTTP2Frame? {
        guard let head = read(9) else { return nil }
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard let kind = HTTP2Frame.Kind(rawValue: head[3]), let payload = read(length) else { return nil }
        let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return HTTP2Frame(kind, head[4], stream: stream, payload)
    }

    /// The next frame of a kind, whatever comes before it.
    func nextFrame(_ kind: HTTP2Frame.Kind, isAcknowledgement: Bool? = nil) -> HTTP2Frame? {
        while let frame = readFrame() {
            guard frame.kind == kind.rawValue else { continue }
            if let isAcknowledgement, (frame.flags & HTTP2Frame.end != 0) != isAcknowledgement { continue }
            return frame
        }
        return nil
    }

    /// The stream of the next request; nil: the client closed.
    func nextRequestStream() -> UInt32? { nextFrame(.headers)?.stream }

    @discardableResult
    func put(_ frames: HTTP2Frame...) -> Bool { write(frames.flatMap(\.bytes)) }

    /// Lets go of the connection when the client has.
    func waitForClient() { while readFrame() != nil {} }
}
