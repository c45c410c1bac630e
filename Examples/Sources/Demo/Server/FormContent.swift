// SPDX-License-Identifier: MIT
internal import Foundation

/// The fields and files of a form, as httpbin shows them. Enough for forms that are well made: a server that faces the
/// world needs a stricter parser.
struct FormContent {
    private(set) var fields: [String: String] = [:]
    private(set) var files: [String: String] = [:]

    /// Nil when the content is not a form.
    init?(_ body: Data, contentType: String) {
        if contentType.hasPrefix("application/x-www-form-urlencoded") {
            readPairs(body)
        } else if contentType.hasPrefix("multipart/form-data"), let range = contentType.range(of: "boundary=") {
            readParts(body, boundary: String(contentType[range.upperBound...]))
        } else {
            return nil
        }
    }

    /// Content as text, or in base64 when it is none.
    static func text(_ data: Data) -> String {
        String(data: data, encoding: .utf8) ?? "data:application/octet-stream;base64,\(data.base64EncodedString())"
    }

    private mutating func readPairs(_ body: Data) {
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map {
                $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
            }
            if let name = parts.first { fields[name] = parts.count > 1 ? parts[1] : "" }
        }
    }

    private mutating func readParts(_ body: Data, boundary: String) {
        let delimiter = Data("--\(boundary)".utf8)
        var start: Data.Index?
        var rest = body[...]
        while let found = rest.range(of: delimiter) {
            if let start { readPart(body[start..<found.lowerBound]) }
            start = found.upperBound
            rest = body[found.upperBound...]
        }
    }

    /// Line break, header fields, empty line, content, line break.
    private mutating func readPart(_ part: Data) {
        guard let end = part.range(of: Data("\r\n\r\n".utf8)) else { return }
        let head = String(decoding: part[..<end.lowerBound], as: UTF8.self)
        let content = Self.text(Data(part[end.upperBound...].dropLast(2)))
        guard let name = Self.quoted("name", in: head) else { return }
        if Self.quoted("filename", in: head) == nil {
            fields[name] = content
        } else {
            files[name] = content
        }
    }

    private static func quoted(_ parameter: String, in head: String) -> String? {
        guard let start = head.range(of: "; \(parameter)=\"")?.upperBound,
            let end = head[start...].firstIndex(of: "\"")
        else { return nil }
        return String(head[start..<end])
    }
}
