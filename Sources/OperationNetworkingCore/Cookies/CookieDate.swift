// SPDX-License-Identifier: MIT
internal import NetworkingTransport

/// The date of an `Expires` attribute (RFC 6265bis, section 5.1.1), which is read leniently: the parts may come in any
/// order, with anything between them.
struct CookieDate {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    private init() {}

    /// A date whose parts are known.
    init(hour: Int, minute: Int, second: Int, day: Int, month: Int, year: Int) {
        time = (hour, minute, second)
        (self.day, self.month, self.year) = (day, month, year)
    }

    /// Seconds since 1970 in UTC; nil when the bytes name no date from 1601 on.
    ///
    /// - Parameter allowsLeapSecond: whether a minute may have a second 60, which is the first of the next. Not in cookies.
    static func secondsSince1970(
        _ bytes: some Collection<UInt8>, allowingLeapSecond allowsLeapSecond: Bool = false
    ) -> Int64? {
        var date = CookieDate()
        for token in bytes.split(whereSeparator: isDelimiter) { date.take(Array(token)) }
        return date.seconds(allowingLeapSecond: allowsLeapSecond)
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// A token is the first part that is still missing and that it can be.
    private mutating func take(_ token: [UInt8]) {
        if time == nil, let found = Self.time(token) {
            time = found
        } else if day == nil, let found = Self.number(token[...], digits: 1...2) {
            day = found
        } else if month == nil, let found = Self.month(token) {
            month = found
        } else if year == nil, let found = Self.number(token[...], digits: 2...4) {
            switch found {
            case 70...99: year = found + 1900
            case 0...69: year = found + 2000
            default: year = found
            }
        }
    }

    /// The number at the beginning. What follows it must not be a digit.
    private static func number(_ bytes: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let number = bytes.prefix(digits.upperBound + 1).prefix(while: \.isDigit)
        guard digits.contains(number.count) else { return nil }
        return number.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func time(_ token: [UInt8]) -> (hour: Int, minute: Int, second: Int)? {
        let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].allSatisfy(\.isDigit), fields[1].allSatisfy(\.isDigit),
            let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// The number of the month whose name's first three letters the token begins with.
    static func month(_ token: some Collection<UInt8>) -> Int? {
        var letters = 0
        for byte in token.prefix(3) { letters = letters << 8 | Int(byte.lowercasedASCII) }
        return months.firstIndex(of: letters).map { $0 + 1 }
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        .map { $0.utf8.reduce(0) { $0 << 8 | Int($1) } }

    /// Seconds since 1970 in UTC; nil: a part is missing, or there is no such day or time.
    func seconds(allowingLeapSecond allowsLeapSecond: Bool) -> Int64? {
        guard let time, let day, let month, let year, year >= 1601, time.hour < 24, time.minute < 60,
            time.second < (allowsLeapSecond ? 61 : 60), day >= 1, day <= Self.length(ofMonth: month, in: year)
        else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        return Int64(days * 86400 + time.hour * 3600 + time.minute * 60 + time.second)
    }

    private static func length(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// In the Gregorian calendar. `year` has four digits at most.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        // Years that begin in March have their leap day at the end.
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let leapDays = year / 4 - year / 100 + year / 400
        return year * 365 + leapDays + (month * 153 + 2) / 5 + day - 1 - 719468
    }
}
