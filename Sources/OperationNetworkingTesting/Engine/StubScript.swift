// SPDX-License-Identifier: MIT
package import Foundation
internal import NetworkingTransport

/// The events that happen to a request, one after the other: a stub's answer to it, whatever carries it.
package struct StubScript: Sendable {
    /// A response without its content: what can be sent.
    package struct Head: Sendable {
        package let status: Int
        package let fields: [(name: String, value: String)]
    }

    package enum Event: Sendable {
        /// Seconds in which nothing comes.
        case wait(TimeInterval)
        case interim(Head)
        case head(Head)
        /// As it is on the wire.
        case content(Data)
        /// nil: whole.
        case end((any Error)?)
    }

    /// Next first; ends with `end`.
    private(set) var events: ArraySlice<Event>

    package mutating func next() -> Event { events.popFirst() ?? .end(nil) }

    /// Puts an event back that could not happen yet.
    package mutating func putBack(_ event: Event) { events = [event] + events }

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
    package init(_ response: StubResponse, to request: RecordedRequest) throws {
        var events: [Event] = []
        if response.delay > 0 { events.append(.wait(response.delay)) }
        for interim in response.interims {
            guard (102..<200).contains(interim.status) else {
                throw StubResponseError(reason: "\(interim.status) is no status of an informational response")
            }
            events.append(.interim(try Self.head(interim.status, interim.fields)))
        }
        if case .passthrough = response.kind {
            throw StubResponseError(reason: "there is no engine to pass the request to")
        }
        if case .failure(let error) = response.kind {
            self.events = (events + [.end(error)])[...]
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
        events.append(.head(try Self.head(status, fields)))
        if hasContent { Self.add(content, response, to: &events) }
        events.append(.end(response.cut.map { URLError($0.error) }))
        self.events = events[...]
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

    private static func head(_ status: Int, _ fields: [StubResponse.HTTPField]) throws -> Head {
        for field in fields {
            guard field.name.isToken else {
                throw StubResponseError(reason: "\(field.name.debugDescription) is no name of a header field")
            }
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw StubResponseError(reason: "the value of \(field.name) has a control character")
            }
        }
        return Head(status: status, fields: fields.map { ($0.name, $0.value) })
    }

    /// The offset of the rest that a request asks for; nil: it asks for all.
    private static func offset(of request: RecordedRequest, tag: String) -> Int? {
        guard let range = request.value(forHTTPHeaderField: "Range"), range.hasPrefix("bytes="), range.hasSuffix("-")
        else { return nil }
        if let condition = request.value(forHTTPHeaderField: "If-Range"), condition != tag { return nil }
        return Array(range.utf8.dropFirst(6).dropLast()).decimalNumber.flatMap { Int(exactly: $0) }
    }
}
