// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The seconds that a `Retry-After` field asks for (RFC 9110, section 10.2.3).
enum RetryAfterField {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// - Parameters:
    ///   - value: the field's.
    ///   - date: the response's `Date`, which a date is compared with, so that clocks need not agree.
    /// - Returns: nil: the value cannot be read.
    static func seconds(_ value: String, date: String?, now: Date) -> TimeInterval? {
        let bytes = Array(value.utf8.prefix(64)).trimmingBlanks
        guard !bytes.isEmpty else { return nil }
        if bytes.allSatisfy(\.isDigit) { return bytes.decimalNumber.map(TimeInterval.init) ?? .infinity }
        guard let time = time(value) else { return nil }
        return max(0, time - (date.flatMap(Self.time) ?? now.timeIntervalSince1970))
    }

    /// Seconds since 1970 of a date in the form that is sent today: "Sun, 06 Nov 1994 08:49:37 GMT".
    private static func time(_ value: String) -> TimeInterval? {
        let bytes = Array(value.utf8.prefix(64))
        guard bytes.count == 29, bytes[3] == UInt8(ascii: ","), bytes[26...].elementsEqual("GMT".utf8),
            let month = months.firstIndex(where: { $0.utf8.elementsEqual(bytes[8..<11]) }),
            let day = bytes[5..<7].decimalNumber, let year = bytes[12..<16].decimalNumber,
            let hour = bytes[17..<19].decimalNumber, let minute = bytes[20..<22].decimalNumber,
            let second = bytes[23..<25].decimalNumber, year >= 1970
        else { return nil }
        var components = tm()
        components.tm_year = Int32(year - 1900)
        components.tm_mon = Int32(month)
        components.tm_mday = Int32(day)
        components.tm_hour = Int32(hour)
        components.tm_min = Int32(minute)
        components.tm_sec = Int32(second)
        return TimeInterval(timegm(&components))
    }
}
