// SPDX-License-Identifier: MIT
internal import Foundation

extension ScriptedResponse {
    /// The script for this response to `request`. Steps that only send are joined where nothing lies between them.
    func steps(answering request: RecordedRequest) -> [ScriptStep] {
        if let rawSteps { return rawSteps }
        let content = resolved(for: request)
        var steps = inserted[.beforeHead] ?? []
        for (status, headers) in interim {
            steps.append(.send(Self.head(status: status, reason: nil, headers: headers)))
        }
        let allowsContent =
            request.method != "HEAD" && content.status >= 200 && content.status != 204
            && content.status != 304
        var headers = content.headers + content.framingHeaders
        if ending == .close || (request.asksToClose && ending == .keepAlive) { headers.append(("Connection", "close")) }
        steps.append(.send(Self.head(status: content.status, reason: reason, headers: headers)))
        if allowsContent { steps += content.bodySteps }
        steps += inserted[.afterBody] ?? []
        steps += endingSteps(closes: request.asksToClose || (allowsContent && content.isDelimitedByClose))
        return Self.joined(steps)
    }

    private var isDelimitedByClose: Bool {
        if case .untilClose = body { return true }
        return false
    }

    private func endingSteps(closes: Bool) -> [ScriptStep] {
        switch ending {
        case .keepAlive: closes ? [.close] : []
        case .close, .closeUnannounced: [.close]
        case .closeWithoutNotify: [.closeWithoutNotify]
        case .reset: [.reset]
        case .stall: [.stall]
        }
    }

    // MARK: Head

    private static func head(status: Int, reason: String?, headers: [Header]) -> Data {
        var text = "HTTP/1.1 \(status) \(reason ?? usualReason(status))\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return Data((text + "\r\n").utf8)
    }

    private var framingHeaders: [Header] {
        if let claimedContentLength { return [("Content-Length", "\(claimedContentLength)")] }
        switch body {
        case .none:
            let hasNoLength = status < 200 || status == 204 || status == 304
            return hasNoLength ? [] : [("Content-Length", "0")]
        case .data(let data), .resource(let data, _, _): return [("Content-Length", "\(data.count)")]
        case .pattern(let count): return [("Content-Length", "\(count)")]
        case .chunked: return [("Transfer-Encoding", "chunked")]
        case .untilClose: return []
        }
    }

    private static func usualReason(_ status: Int) -> String {
        let reasons = [
            100: "Continue", 101: "Switching Protocols", 103: "Early Hints", 200: "OK", 201: "Created",
            202: "Accepted", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found",
            303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
            400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
            407: "Proxy Authentication Required", 412: "Precondition Failed", 413: "Content Too Large",
            416: "Range Not Satisfiable",
            429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
        ]
        return reasons[status] ?? "Status \(status)"
    }

    // MARK: Body

    private var bodySteps: [ScriptStep] {
        var limit = bodyLimit ?? .max
        var pieces: [ScriptStep] = []
        switch body {
        case .none: break
        case .data(let data), .untilClose(let data), .resource(let data, _, _):
            pieces = Self.split(data.prefix(limit), size: pieceSize).map { .send($0) }
        case .pattern(let count):
            if let pieceSize {
                let data = Self.pattern(count: min(count, limit))
                pieces = Self.split(data, size: pieceSize).map { .send($0) }
            } else {
                pieces = [.sendPattern(count: min(count, limit))]
            }
        case .chunked(let chunks):
            for chunk in chunks where !chunk.isEmpty && limit > 0 {
                let size = Data("\(String(chunk.count, radix: 16))\r\n".utf8)
                let end = chunk.count <= limit ? Data("\r\n".utf8) : Data()
                pieces += Self.split(size + chunk.prefix(limit) + end, size: pieceSize).map { .send($0) }
                limit -= min(limit, chunk.count)
            }
        }
        var steps = inserted[.beforeBody] ?? []
        let between = inserted[.betweenPieces] ?? []
        for (index, piece) in pieces.enumerated() {
            if index > 0 { steps += between }
            steps.append(piece)
        }
        if case .chunked = body, bodyLimit == nil {
            let fields = trailers.map { "\($0.name): \($0.value)\r\n" }.joined()
            steps.append(.send("0\r\n\(fields)\r\n"))
        }
        return steps
    }

    private static func split(_ data: Data, size: Int?) -> [Data] {
        guard let size, size > 0 else { return data.isEmpty ? [] : [data] }
        return stride(from: data.startIndex, to: data.endIndex, by: size).map {
            data[$0..<min($0 + size, data.endIndex)]
        }
    }

    private static func joined(_ steps: [ScriptStep]) -> [ScriptStep] {
        var result: [ScriptStep] = []
        for step in steps {
            if case .send(let data) = step, case .send(let previous)? = result.last {
                result[result.count - 1] = .send(previous + data)
            } else {
                result.append(step)
            }
        }
        return result
    }

    // MARK: Resources

    /// This response with status, headers and body as `request` makes them, if the body is a resource.
    private func resolved(for request: RecordedRequest) -> ScriptedResponse {
        guard case .resource(let data, let etag, let lastModified) = body else { return self }
        var response = self
        if let etag { response.headers.append(("ETag", etag)) }
        if let lastModified { response.headers.append(("Last-Modified", lastModified)) }
        if let known = request["If-None-Match"], let etag, known == etag || known == "*" {
            response.status = 304
            response.body = .none
            return response
        }
        response.headers.append(("Accept-Ranges", "bytes"))
        guard status == 200, let range = request["Range"] else { return response }
        if let validator = request["If-Range"], validator != etag, validator != lastModified { return response }
        switch ByteRange.parse(range, length: data.count) {
        case .ignored:
            return response
        case .unsatisfiable:
            response.status = 416
            response.headers.append(("Content-Range", "bytes */\(data.count)"))
            response.body = .none
        case .satisfiable(let bounds):
            response.status = 206
            let span = "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(data.count)"
            response.headers.append(("Content-Range", span))
            let start = data.startIndex
            response.body = .data(data[(start + bounds.lowerBound)..<(start + bounds.upperBound)])
        }
        return response
    }
}

/// A Range field with one range (RFC 9110, 14.1.2); more than one are ignored, as a server may.
enum ByteRange: Equatable {
    case ignored, unsatisfiable
    case satisfiable(Range<Int>)

    static func parse(_ field: String, length: Int) -> ByteRange {
        guard field.hasPrefix("bytes=") else { return .ignored }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .ignored }
        switch (Int(ends[0]), Int(ends[1])) {
        case (nil, let suffix?) where ends[0].isEmpty:
            return suffix > 0 && length > 0 ? .satisfiable(max(0, length - suffix)..<length) : .unsatisfiable
        case (let first?, nil) where ends[1].isEmpty:
            return first < length ? .satisfiable(first..<length) : .unsatisfiable
        case (let first?, let last?) where first <= last:
            return first < length ? .satisfiable(first..<min(last + 1, length)) : .unsatisfiable
        default:
            return .ignored
        }
    }
}
