// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport
internal import OperationNetworkingTesting

/// A connection that speaks HTTP/1.1 (RFC 9112): one request after the other. Confined to the server's thread.
final class HTTP1Session: HTTPProtocol, Exchange.Carrier {
    /// Bytes of requests to come that are kept while one is answered.
    private static let longestPipeline = 1 << 20

    private enum Framing {
        /// Bytes that are left of what was announced; negative: more came.
        case length(Int64)
        case chunked
    }

    private weak var connection: ClientConnection?
    private let core: ServerCore
    private var parser = HTTP1RequestParser()
    /// The request whose content is being read.
    private var head: HTTP1RequestHead?
    private var content: [UInt8] = []
    private var exchange: Exchange?
    private var framing = Framing.length(0)
    /// The exchange has to be the last one.
    private var isLast = false
    /// The response to the present request has begun.
    private var hasSentHead = false
    /// The connection ends with what was said last: no request is looked at any more.
    private var isDone = false
    /// The client waits for what does not come.
    private var isSilent = false
    private var hasInputEnded = false

    init(_ connection: ClientConnection) {
        self.connection = connection
        core = connection.core
    }

    // MARK: Requests

    var takesInput: Bool { isDone || exchange == nil || parser.unreadCount < Self.longestPipeline }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        guard !isDone else { return }
        parser.append(bytes)
        readRequest()
    }

    func inputEnded() {
        hasInputEnded = true
        exchange?.interrupt()
        if exchange == nil || isSilent { finish() }
    }

    private func readRequest() {
        do {
            while !isDone, exchange == nil, let event = try parser.next() {
                switch event {
                case .head(let head): try begin(head)
                case .content(let part): try add(part)
                case .end: ask()
                }
            }
        } catch {
            refuse(error)
        }
    }

    private func begin(_ head: HTTP1RequestHead) throws(HTTP1RequestError) {
        self.head = head
        content = []
        if case .length(let count) = head.framing, count > RequestBuilder.largestContent { throw Self.tooLarge }
        if head.tokens("Expect").contains("100-continue"), !head.isOld, head.framing != .length(0),
            parser.unreadCount == 0
        {
            connection?.send("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        }
    }

    private func add(_ part: ArraySlice<UInt8>) throws(HTTP1RequestError) {
        guard content.count + part.count <= RequestBuilder.largestContent else { throw Self.tooLarge }
        content += part
    }

    private static var tooLarge: HTTP1RequestError {
        HTTP1RequestError(status: 413, reason: "the content is larger than \(RequestBuilder.largestContent) bytes")
    }

    private func ask() {
        guard let head else { return }
        let connectionTokens = head.tokens("Connection")
        isLast = connectionTokens.contains("close") || (head.isOld && !connectionTokens.contains("keep-alive"))
        isSilent = false
        hasSentHead = false
        let hasContent = !content.isEmpty || head.value("Content-Length") != nil || head.framing == .chunked
        let request = RequestBuilder.request(
            head.method, target: head.target, authority: head.value("Host"), fields: head.fields,
            body: hasContent ? Data(content) : nil, core)
        content = []
        guard let request else {
            return refuse(HTTP1RequestError(status: 400, reason: "target and Host make no URL"))
        }
        let exchange = Exchange(request, core, self)
        self.exchange = exchange
        exchange.start()
    }

    /// Answers what is not asked of the stubs, and closes.
    private func refuse(_ error: HTTP1RequestError) {
        guard let connection else { return }
        let text = error.reason + "\n"
        connection.send(Self.statusLine(error.status).utf8)
        connection.send("Content-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r\n".utf8)
        connection.send("Connection: close\r\n\r\n\(text)".utf8)
        finish()
    }

    private func finish() {
        isDone = true
        connection?.finish()
    }

    private func breakOff() {
        isDone = true
        connection?.breakOff()
    }

    // MARK: Responses

    func produce() { exchange?.advance() }

    func close() {
        exchange?.cancel()
        exchange = nil
    }

    var isReady: Bool { connection?.isReady ?? false }

    func pump() { connection?.pump() }

    func sendInterim(_ head: StubScript.Head) {
        // HTTP/1.0 has none (RFC 9110, 15.2).
        if self.head?.isOld == false { send(head.status, head.fields) }
    }

    func sendHead(_ head: StubScript.Head) {
        hasSentHead = true
        func values(_ name: String) -> [String] { head.fields.filter { $0.name.isFieldName(name) }.map(\.value) }
        if values("Connection").contains(where: { $0.utf8.equalsIgnoringCase("close") }) { isLast = true }
        var fields = head.fields
        var isChunked = values("Transfer-Encoding").last.map { $0.utf8.equalsIgnoringCase("chunked") } ?? false
        if isChunked, self.head?.isOld == true {
            // HTTP/1.0 has no chunks (RFC 9112, 6.1): the content ends with the connection.
            fields.removeAll { $0.name.isFieldName("Transfer-Encoding") }
            isChunked = false
        }
        if isChunked {
            framing = .chunked
        } else if let length = values("Content-Length").last {
            // One that is not the content's is a fault that a test wants: the connection cannot go on after it.
            framing = .length(length.utf8.decimalNumber ?? -1)
        } else {
            framing = .length(0)
            if head.status != 204 && head.status != 304 { isLast = true }
        }
        if self.head?.method == "HEAD" || head.status == 304 || head.status == 204 { framing = .length(0) }
        if !values("Connection").contains(where: { $0.utf8.equalsIgnoringCase(isLast ? "close" : "keep-alive") }),
            isLast || self.head?.isOld == true
        {
            fields.append(("Connection", isLast ? "close" : "keep-alive"))
        }
        send(head.status, fields)
    }

    private func send(_ status: Int, _ fields: [(name: String, value: String)]) {
        var text = Self.statusLine(status)
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        connection?.send((text + "\r\n").utf8)
    }

    private static func statusLine(_ status: Int) -> String {
        // The phrase may be empty (RFC 9112, section 4).
        "HTTP/1.1 \(status) \(status == 200 ? "OK" : "")\r\n"
    }

    func sendContent(_ content: Data) {
        guard !content.isEmpty else { return }
        switch framing {
        case .chunked:
            connection?.send("\(String(content.count, radix: 16))\r\n".utf8)
            connection?.send(content)
            connection?.send("\r\n".utf8)
        case .length(let left):
            framing = .length(left - Int64(content.count))
            connection?.send(content)
        }
    }

    func end() {
        switch framing {
        case .chunked: connection?.send("0\r\n\r\n".utf8)
        case .length(0): break
        case .length: isLast = true
        }
        exchange = nil
        head = nil
        guard !isLast else { return finish() }
        readRequest()
        if hasInputEnded, exchange == nil { finish() }
    }

    /// The response has begun, and its end will be missed.
    private var isCut: Bool {
        guard hasSentHead else { return false }
        if case .length(let left) = framing { return left > 0 }
        return true
    }

    func fail(_ fault: Fault) {
        switch fault {
        case .silence:
            isSilent = true
            if hasInputEnded { finish() }
        // A reset can overtake what was sent before; here it is seen that the content is not complete.
        case .reset where isCut, .failure where isCut:
            finish()
        case .reset, .failure:
            breakOff()
        case .refused:
            finish()
        // Within content everything is content.
        case .malformed where hasSentHead:
            breakOff()
        case .malformed:
            connection?.send("\u{1}\u{2}\u{3} this is not HTTP\r\n\r\n".utf8)
            finish()
        }
    }
}
