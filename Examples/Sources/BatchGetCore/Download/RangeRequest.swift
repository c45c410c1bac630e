// SPDX-License-Identifier: MIT
package import Foundation
package import OperationNetworking

/// What the plan has to know of an operation's response and end.
package enum RangeRequest {
    /// What a response says about the file; nil: there is none.
    static func head(of operation: HTTPRequestOperation) -> DownloadPlan.Head? {
        guard let response = operation.response else { return nil }
        var head = DownloadPlan.Head(statusCode: response.statusCode)
        head.validator = validator(of: response)
        head.resource = response.url.flatMap { PartNote.digest(of: $0) }
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

    /// A strong entity tag, else, without any tag, the date of the last change: RFC 9110, section 13.1.5. A weak tag promises
    /// nothing, nor does a date of the second in which the response was made (section 8.8.2.2).
    ///
    /// - Parameter now: the date of a response without one. Clocks may differ by a minute.
    package static func validator(of response: HTTPURLResponse, now: Date = Date()) -> String? {
        if let tag = response.value(forHTTPHeaderField: "ETag") {
            guard PartNote.isValidator(tag) else { return nil }
            if tag.utf8.first == UInt8(ascii: "\"") { return tag.utf8.count > 2 ? tag : nil }
            if tag.utf8.starts(with: "W/".utf8) { return nil }
        }
        guard let text = response.value(forHTTPHeaderField: "Last-Modified"), let modified = date(text) else {
            return nil
        }
        let made = response.value(forHTTPHeaderField: "Date").flatMap(date)
        return (made ?? now - 59).timeIntervalSince(modified) >= 1 ? text : nil
    }

    /// "Sun, 06 Nov 1994 08:49:37 GMT", which servers send: RFC 9110, section 5.6.7. A leap second is the second after it.
    private static func date(_ text: String) -> Date? {
        guard text.utf8.count == 29, PartNote.isValidator(text) else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let isLeapSecond = text.utf8.dropFirst(22).prefix(3).elementsEqual(":60".utf8)
        guard isLeapSecond else { return formatter.date(from: text) }
        let before = String(decoding: text.utf8.prefix(22), as: UTF8.self) + ":59 GMT"
        return formatter.date(from: before)?.addingTimeInterval(1)
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
