// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworking

/// What the plan has to know of an operation's response and end.
enum RangeRequest {
    /// What a response says about the file; nil: there is none.
    static func head(of operation: HTTPRequestOperation) -> DownloadPlan.Head? {
        guard let response = operation.response else { return nil }
        var head = DownloadPlan.Head(statusCode: response.statusCode)
        head.validator = validator(of: response)
        head.acceptsRanges = response.value(forHTTPHeaderField: "Accept-Ranges").map { !isNone($0) } ?? true
        if response.statusCode == 206 {
            let range = response.value(forHTTPHeaderField: "Content-Range").flatMap(contentRange)
            head.first = range?.first
            head.totalLength = range?.total
        } else {
            head.totalLength = response.value(forHTTPHeaderField: "Content-Length").flatMap { number($0.utf8[...]) }
        }
        return head
    }

    /// Why an operation failed.
    static func failure(_ error: any Error, of operation: HTTPRequestOperation) -> DownloadPlan.Failure {
        let text = error.localizedDescription
        if let status = operation.response?.statusCode, !(200...299).contains(status) { return .status(status, text) }
        guard let error = error as? URLError else { return .lost(text, mayPass: false) }
        let passing: Set<URLError.Code> = [
            .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet, .timedOut,
            .networkConnectionLost,
        ]
        return .lost(text, mayPass: passing.contains(error.code))
    }

    /// A strong entity tag, else the date of the last change: RFC 9110, section 13.1.5. A weak tag promises nothing.
    private static func validator(of response: HTTPURLResponse) -> String? {
        if let tag = response.value(forHTTPHeaderField: "ETag"), PartNote.isValidator(tag) {
            if tag.utf8.first == UInt8(ascii: "\""), tag.utf8.count > 2 { return tag }
            if tag.utf8.starts(with: "W/".utf8) { return nil }
        }
        return response.value(forHTTPHeaderField: "Last-Modified").flatMap { PartNote.isValidator($0) ? $0 : nil }
    }

    private static func isNone(_ value: String) -> Bool {
        value.utf8.elementsEqual("none".utf8) { $0 | 0x20 == $1 }
    }

    /// "bytes 0-499/1234", with "*" for a length that is not known: RFC 9110, section 14.4.
    static func contentRange(_ value: String) -> (first: Int64, total: Int64?)? {
        let bytes = value.utf8
        guard bytes.count <= 80, bytes.prefix(6).elementsEqual("bytes ".utf8, by: { $0 | 0x20 == $1 | 0x20 }) else {
            return nil
        }
        let rest = bytes.dropFirst(6)
        guard let dash = rest.firstIndex(of: UInt8(ascii: "-")), let slash = rest.firstIndex(of: UInt8(ascii: "/")),
            dash < slash, let first = number(rest[..<dash]), let last = number(rest[rest.index(after: dash)..<slash]),
            last >= first
        else { return nil }
        let length = rest[rest.index(after: slash)...]
        if length.elementsEqual("*".utf8) { return (first, nil) }
        guard let total = number(length), last < total else { return nil }
        return (first, total)
    }

    private static func number(_ digits: Substring.UTF8View) -> Int64? { ByteCount.decimal(digits) }
}
