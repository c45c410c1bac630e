// SPDX-License-Identifier: MIT
internal import CNghttp2
internal import Foundation
internal import NetworkingTransport
internal import OperationNetworkingTesting

/// A request over HTTP/2, and its response. Confined to the server's thread.
final class HTTP2Stream: Exchange.Carrier {
    let id: Int32
    private weak var session: HTTP2Session?
    private let core: ServerCore
    private var method = ""
    private var target = ""
    private var authority: String?
    private var fields: [HeaderField] = []
    private var body: [UInt8] = []
    private var isHeadComplete = false
    private var exchange: Exchange?
    /// Content that waits to be sent.
    private var pending = Data()
    private var hasSentHead = false
    private var hasEnded = false
    /// The fault that happens once `pending` is sent.
    private var fault: Fault?

    init(_ id: Int32, _ session: HTTP2Session) {
        self.id = id
        self.session = session
        core = session.core
    }

    // MARK: The request

    func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        // Trailers.
        guard !isHeadComplete else { return }
        let text =
            String(validating: value, as: UTF8.self)
            ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
        // nghttp2 lets no others than these by, and each once; CONNECT has no path.
        if name.elementsEqual(":method".utf8) {
            method = text
        } else if name.elementsEqual(":path".utf8) {
            target = text
        } else if name.elementsEqual(":authority".utf8) {
            authority = text
        } else if name.first != UInt8(ascii: ":") {
            fields.append(HeaderField(String(decoding: name, as: UTF8.self), text))
        }
    }

    func headEnded() { isHeadComplete = true }

    func add(content: UnsafeBufferPointer<UInt8>) {
        guard body.count <= RequestBuilder.largestContent - content.count else {
            session?.reset(self, UInt32(ON_H2_INTERNAL_ERROR))
            return
        }
        body.append(contentsOf: content)
    }

    /// The request is complete.
    func ask() {
        guard exchange == nil else { return }
        let host = fields.first { $0.name.isFieldName("Host") }?.value
        // Cookies may come in pieces (RFC 9113, 8.2.3).
        let cookies = fields.filter { $0.name.isFieldName("Cookie") }.map(\.value)
        fields.removeAll { $0.name.isFieldName("Cookie") }
        if host == nil, let authority { fields.append(HeaderField("Host", authority)) }
        if !cookies.isEmpty { fields.append(HeaderField("Cookie", cookies.joined(separator: "; "))) }
        let hasBody = !body.isEmpty || fields.contains { $0.name.isFieldName("Content-Length") }
        let request = RequestBuilder.request(
            method, target: target, authority: authority ?? host, fields: fields, body: hasBody ? Data(body) : nil,
            core)
        body = []
        guard let request else {
            session?.submit(head: [], status: 400, on: self, isInterim: false)
            hasEnded = true
            return
        }
        let exchange = Exchange(request, core, self)
        self.exchange = exchange
        exchange.start()
    }

    // MARK: The response

    func advance() { exchange?.advance() }

    var isReady: Bool { pending.isEmpty && fault == nil }

    func pump() { session?.connection?.pump() }

    func sendInterim(_ head: StubScript.Head) {
        session?.submit(head: head.fields, status: head.status, on: self, isInterim: true)
    }

    func sendHead(_ head: StubScript.Head) {
        hasSentHead = true
        session?.submit(head: head.fields, status: head.status, on: self, isInterim: false)
    }

    func sendContent(_ content: Data) {
        pending = content
        session?.resume(self)
    }

    func end() {
        hasEnded = true
        session?.resume(self)
    }

    func fail(_ fault: Fault) {
        self.fault = fault
    }

    /// Moves content to `buffer`, which nghttp2 sends. The flag: that was all of it.
    func takeContent(_ buffer: UnsafeMutableRawBufferPointer) -> (Int, Bool) {
        let count = min(buffer.count, pending.count)
        if count > 0 {
            _ = pending.copyBytes(to: buffer, count: count)
            pending = pending.dropFirst(count)
        }
        return (count, hasEnded && pending.isEmpty)
    }

    /// All that could be sent is: lets happen what waits for that. True: something is to be sent again.
    func drained() -> Bool {
        guard pending.isEmpty else { return false }
        if let fault {
            self.fault = nil
            exchange?.cancel()
            switch fault {
            case .silence: return false
            // A reset can overtake what was sent before.
            case .reset where hasSentHead: session?.connection?.finish()
            case .reset: session?.connection?.breakOff()
            case .failure: session?.reset(self, UInt32(ON_H2_INTERNAL_ERROR))
            case .refused: session?.reset(self, UInt32(ON_H2_REFUSED_STREAM))
            case .malformed: session?.sendMalformed()
            }
            return true
        }
        let before = hasEnded
        advance()
        return !pending.isEmpty || hasEnded != before || fault != nil
    }

    func closed() {
        exchange?.cancel()
        exchange = nil
    }
}
