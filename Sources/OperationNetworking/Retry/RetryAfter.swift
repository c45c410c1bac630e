// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The `Retry-After` field (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// The length of the longest value that is read, in bytes. A longer one counts as absent.
    private static let longestValue = 64

    /// Seconds from now on; nil: there is no such field that can be read. A date is compared with the response's own
    /// `Date`, if it has one, so that clocks need not agree.
    static func seconds(of head: ResponseHead, now: Date) -> TimeInterval? {
        guard let value = head.firstBytes(named: "Retry-After", limit: longestValue), !value.isEmpty else { return nil }
        if value.allSatisfy(\.isDigit) { return value.decimalNumber.map(TimeInterval.init) ?? .infinity }
        guard let date = seconds(value) else { return nil }
        let present = head.firstBytes(named: "Date", limit: longestValue).flatMap(seconds)
        return max(0, TimeInterval(date) - (present.map(TimeInterval.init) ?? now.timeIntervalSince1970))
    }

    /// Returns the time of a date in any of the forms (section 5.6.7), whatever zone it names.
    private static func seconds(_ date: [UInt8]) -> Int64? {
        CookieDate.secondsSince1970(date, allowingLeapSecond: true)
    }
}
