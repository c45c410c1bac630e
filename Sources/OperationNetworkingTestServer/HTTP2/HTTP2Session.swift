// SPDX-License-Identifier: MIT
internal import CNghttp2
internal import Foundation
internal import NetworkingTransport

/// A connection that speaks HTTP/2 (RFC 9113): nghttp2 knows the protocol, this gives it requests' answers. Confined to
/// the server's thread.
final class HTTP2Session: HTTPProtocol {
    /// Bytes that clients may send before they are acknowledged, on a stream and on all of them: many, since content is
    /// kept whole.
    private static let window: UInt32 = 1 << 24
    private static let concurrentStreams: UInt32 = 100

    let core: ServerCore
    private(set) weak var connection: ClientConnection?
    private let library: on_h2?
    /// An nghttp2_session; nil: closed, or it could not be made.
    private(set) var session: UnsafeMutableRawPointer?
    private var streams: [Int32: HTTP2Stream] = [:]
    /// Streams whose requests have come whole, which are not asked about from within nghttp2.
    private var complete: [HTTP2Stream] = []
    /// The last thing that is sent was decided.
    private var isBroken = false

    init(_ connection: ClientConnection) {
        self.connection = connection
        core = connection.core
        library = NGHTTP2.library
        guard var library else {
            connection.breakOff()
            return
        }
        var callbacks = HTTP2Callbacks.table
        session = on_h2_begin(&library, &callbacks, Unmanaged.passUnretained(self).toOpaque())
        guard let session else {
            connection.breakOff()
            return
        }
        let settings = [
            on_h2_setting(id: Int32(ON_H2_SETTING_CONCURRENT_STREAMS), value: Self.concurrentStreams),
            on_h2_setting(id: Int32(ON_H2_SETTING_WINDOW), value: Self.window),
        ]
        if library.submit_settings(session, 0, settings, settings.count) != 0
            || library.set_window(session, 0, 0, Int32(Self.window)) != 0
        {
            connection.breakOff()
        }
    }

    deinit { close() }

    func close() {
        guard let session else { return }
        self.session = nil
        for stream in streams.values { stream.closed() }
        streams = [:]
        complete = []
        library?.del(session)
    }

    // MARK: Requests

    var takesInput: Bool { session != nil }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        guard let session, let library else { return }
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        // The whole is taken, or the connection is of no more use; nghttp2 says so to the client by itself where it
        // can.
        if library.mem_recv(session, start, bytes.count) < 0 { isBroken = true }
        while !complete.isEmpty {
            let stream = complete.removeFirst()
            // Its client may have given it up in the same breath.
            if streams[stream.id] === stream { stream.ask() }
        }
    }

    func inputEnded() { connection?.finish() }

    // MARK: Responses

    func produce() {
        guard let session, let library, let connection else { return }
        for stream in streams.values { stream.advance() }
        while connection.isReady {
            var bytes: UnsafePointer<UInt8>?
            let count = library.mem_send(session, &bytes)
            guard count >= 0 else { return connection.breakOff() }
            if count == 0 {
                // What was waiting for its content to be sent, and may now go on.
                guard streams.values.filter({ $0.drained() }).isEmpty else { continue }
                break
            }
            connection.send(UnsafeBufferPointer(start: bytes, count: count))
        }
        if isBroken || (library.want_read(session) == 0 && library.want_write(session) == 0) { connection.finish() }
    }

    func submit(head fields: [(name: String, value: String)], status: Int, on stream: HTTP2Stream, isInterim: Bool) {
        guard let session, let library else { return }
        var bytes: [UInt8] = []
        var places: [(name: Range<Int>, value: Range<Int>)] = []
        func add(_ name: String, _ value: String) {
            let start = bytes.count
            bytes += name.utf8.map(\.lowercasedASCII)
            let middle = bytes.count
            bytes += Array(value.utf8)
            places.append((start..<middle, middle..<bytes.count))
        }
        add(":status", String(status))
        for field in fields where !Self.isOfConnection(field.name) { add(field.name, field.value) }
        let code = bytes.withUnsafeBufferPointer { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return -1 }
            let list = places.map { place in
                on_h2_field(
                    name: base + place.name.lowerBound, value: base + place.value.lowerBound,
                    name_length: place.name.count, value_length: place.value.count, flags: 0)
            }
            if isInterim { return library.submit_headers(session, 0, stream.id, nil, list, list.count, nil) }
            var provider = on_h2_provider(source: on_h2_source(pointer: nil), read: HTTP2Callbacks.read)
            return library.submit_response(session, stream.id, list, list.count, &provider)
        }
        if code < 0 { reset(stream, UInt32(ON_H2_INTERNAL_ERROR)) }
    }

    /// Fields that HTTP/2 has no use for (RFC 9113, 8.2.2).
    private static func isOfConnection(_ name: String) -> Bool {
        ["Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade"]
            .contains { $0.isFieldName(name) }
    }

    /// A stream has more content, or its end.
    func resume(_ stream: HTTP2Stream) {
        // An error means that it is not waiting, and will be asked anyway.
        if let session { _ = library?.resume_data(session, stream.id) }
    }

    func reset(_ stream: HTTP2Stream, _ code: UInt32) {
        if let session { _ = library?.submit_rst_stream(session, 0, stream.id, code) }
    }

    /// Sends a frame that ends the connection with an error, for a fault.
    func sendMalformed() {
        // DATA on stream 0 (RFC 9113, 6.1).
        connection?.send([0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
        connection?.finish()
    }

    // MARK: From nghttp2

    func began(_ id: Int32) { streams[id] = HTTP2Stream(id, self) }

    func stream(_ id: Int32) -> HTTP2Stream? { streams[id] }

    func headEnded(_ id: Int32) { streams[id]?.headEnded() }

    func completed(_ id: Int32) {
        if let stream = streams[id] { complete.append(stream) }
    }

    func closed(_ id: Int32) { streams.removeValue(forKey: id)?.closed() }
}
