// SPDX-License-Identifier: MIT
package import Foundation
internal import NetworkingTransport

/// The `Retry-After` field (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The length of the longest value that is read, in bytes. A longer one counts as absent.
    private static let longestValue = 64

    /// Seconds from now on; nil: there is no such field that can be read.
    static func seconds(of head: ResponseHead, now: Date) -> TimeInterval? {
        guard let value = head.firstBytes(named: "Retry-After", limit: longestValue) else { return nil }
        return seconds(value, date: head.firstBytes(named: "Date", limit: longestValue), now: now)
    }

    /// Seconds from now on; nil: the value cannot be read.
    ///
    /// - Parameters:
    ///   - value: the field's, without white space around it.
    ///   - date: the value of the response's `Date`, which a date is compared with, so that clocks need not agree.
    ///   - now: in place of that, where it is missing.
    package static func seconds(_ value: [UInt8], date: [UInt8]?, now: Date) -> TimeInterval? {
        guard !value.isEmpty, value.count <= longestValue else { return nil }
        if value.allSatisfy(\.isDigit) { return value.decimalNumber.map(TimeInterval.init) ?? .infinity }
        guard let time = seconds(value) else { return nil }
        let present = date.flatMap { $0.count <= longestValue ? seconds($0) : nil }
        return max(0, TimeInterval(time) - (present.map(TimeInterval.init) ?? now.timeIntervalSince1970))
    }

    /// Returns the time of a date in any of the forms (section 5.6.7), whatever zone it names.
    private static func seconds(_ date: [UInt8]) -> Int64? {
        CookieDate.secondsSince1970(date, allowingLeapSecond: true)
    }
}
