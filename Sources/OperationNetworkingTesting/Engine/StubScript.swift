// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// What happens to a transfer, one thing after the other: a stub's answer to one request.
struct StubScript: Sendable {
    enum Event: Sendable {
        /// Seconds in which nothing comes.
        case wait(TimeInterval)
        case interim(ResponseHead)
        case head(ResponseHead)
        /// As it is on the wire.
        case content(Data)
        /// nil: whole.
        case end(TransferError?)
    }

    /// Next first; ends with `end`.
    private(set) var events: ArraySlice<Event>
    /// The codings that the engine undoes.
    let codings: [ContentDecoder.Coding]

    mutating func next() -> Event { events.popFirst() ?? .end(nil) }

    /// Puts an event back that could not happen yet.
    mutating func putBack(_ event: Event) { events = [event] + events }

    /// The response's content is not wanted.
    mutating func dropContent() {
        events =
            events[...].filter { event in
                switch event {
                case .end: true
                case .content, .wait, .interim, .head: false
                }
            }[...]
    }

    /// The script of an answer. Reads files: not on the network thread.
    ///
    /// - Throws: Foundation's error for a file; `StubResponseError`.
    init(_ response: StubResponse, to request: TransferRequest) throws {
        var events: [Event] = []
        if response.delay > 0 { events.append(.wait(response.delay)) }
        for interim in response.interims {
            guard (102..<200).contains(interim.status) else {
                throw StubResponseError(reason: "\(interim.status) is no status of an informational response")
            }
            events.append(.interim(try Self.head(interim.status, interim.fields)))
        }
        if case .failure(let error) = response.kind {
            self.events = (events + [.end(Self.failure(error, url: request.url))])[...]
            codings = []
            return
        }
        guard (200..<600).contains(response.status) else {
            throw StubResponseError(reason: "\(response.status) is no status of a response")
        }
        var content =
            switch response.content {
            case .data(let data): data
            case .file(let url): try Data(contentsOf: url)
            }
        var status = response.status
        var fields = response.headers.sorted { $0.key < $1.key }
            .map { StubResponse.HTTPField(name: $0.key, value: $0.value) }
        fields += response.fields
        if let tag = response.entityTag {
            fields += [.init(name: "ETag", value: tag), .init(name: "Accept-Ranges", value: "bytes")]
            if status == 200, let offset = Self.offset(of: request, tag: tag), offset < content.count {
                status = 206
                let range = "bytes \(offset)-\(content.count - 1)/\(content.count)"
                fields.append(.init(name: "Content-Range", value: range))
                content = content.dropFirst(offset)
            }
        }
        func has(_ name: String) -> Bool { fields.contains { $0.name.isFieldName(name) } }
        let hasContent = request.method != "HEAD" && status != 204 && status != 304
        if status != 204, status != 304, !has("Content-Length"), !has("Transfer-Encoding") {
            fields.append(.init(name: "Content-Length", value: String(content.count)))
        }
        let head = try Self.head(status, fields)
        events.append(.head(head))
        if hasContent { Self.add(content, response, to: &events) }
        events.append(.end(response.cut.map { Self.failure(URLError($0.error), url: request.url) }))
        self.events = events[...]
        codings = request.decodesContent ? ContentDecoder.codings(of: head) : []
    }

    private static func add(_ content: Data, _ response: StubResponse, to events: inout [Event]) {
        let content = response.cut.map { content.prefix($0.length) } ?? content
        let size = response.drip?.size ?? max(1, content.count)
        var start = content.startIndex
        while start < content.endIndex {
            let end = content.index(start, offsetBy: size, limitedBy: content.endIndex) ?? content.endIndex
            if let interval = response.drip?.interval, interval > 0, start > content.startIndex {
                events.append(.wait(interval))
            }
            events.append(.content(content[start..<end]))
            start = end
        }
    }

    private static func head(_ status: Int, _ fields: [StubResponse.HTTPField]) throws -> ResponseHead {
        var bytes: [UInt8] = []
        for field in fields {
            guard field.name.isToken else {
                throw StubResponseError(reason: "\(field.name.debugDescription) is no name of a header field")
            }
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw StubResponseError(reason: "the value of \(field.name) has a control character")
            }
            bytes += Array("\(field.name): \(field.value)\r\n".utf8)
        }
        return ResponseHead(statusCode: status, httpVersion: "1.1", rawFields: bytes)
    }

    /// Where the rest begins that a request asks for; nil: it asks for all.
    private static func offset(of request: TransferRequest, tag: String) -> Int? {
        func value(_ name: String) -> String? { request.headers.first { $0.name.isFieldName(name) }?.value }
        guard let range = value("Range"), range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        if let condition = value("If-Range"), condition != tag { return nil }
        return Array(range.utf8.dropFirst(6).dropLast()).decimalNumber.flatMap { Int(exactly: $0) }
    }

    /// An error as the engine would report it, so that what follows is decided as for a server's.
    static func failure(_ error: any Error, url: String) -> TransferError {
        guard let error = error as? URLError, error.userInfo[NSUnderlyingErrorKey] == nil else {
            return TransferError(.substituted, message: "A stub failed the request.", cause: error)
        }
        let kind: TransferError.Kind? =
            switch error.code {
            case .cancelled: .cancelled
            case .cannotFindHost: .cannotFindHost
            case .cannotConnectToHost: .cannotConnect
            case .timedOut: .timedOut
            case .networkConnectionLost: .connectionLost
            case .cannotParseResponse: .badResponse
            case .cannotDecodeContentData: .cannotDecodeContent
            case .secureConnectionFailed: .secureConnectionFailed
            case .clientCertificateRequired: .clientCertificateRequired
            case .clientCertificateRejected: .clientCertificate
            default: nil
            }
        guard let kind else {
            var userInfo = error.userInfo
            userInfo[NSURLErrorFailingURLErrorKey] = URL(string: url)
            userInfo["NSErrorFailingURLStringKey"] = url
            return TransferError(
                .substituted, message: "A stub failed the request.", cause: URLError(error.code, userInfo: userInfo))
        }
        return TransferError(kind, message: "A stub failed the request.")
    }
}
