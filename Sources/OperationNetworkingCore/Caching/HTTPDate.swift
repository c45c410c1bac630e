// SPDX-License-Identifier: MIT
internal import NetworkingTransport

/// A date in a header field (RFC 9110, section 5.6.7), in the present format or one of the two obsolete ones.
enum HTTPDate {
    private static let longest = 64

    /// Seconds since 1970; nil: no date, or one of another zone than GMT. A leap second, 60, is the second after it.
    static func seconds(_ bytes: [UInt8]) -> Double? {
        bytes.withUnsafeBufferPointer { present($0) } ?? obsolete(bytes)
    }

    private static let form: StaticString = "???, ?? ??? ???? ??:??:?? GMT"

    /// "Sun, 06 Nov 1994 08:49:37 GMT", which nearly all servers send.
    private static func present(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
        func number(_ index: Int, _ digits: Int) -> Int? {
            var number = 0
            for byte in bytes[index..<index + digits] {
                guard byte.isDigit else { return nil }
                number = number * 10 + Int(byte - 0x30)
            }
            return number
        }
        guard bytes.count == form.utf8CodeUnitCount,
            bytes.indices.allSatisfy({ form.utf8Start[$0] == UInt8(ascii: "?") || form.utf8Start[$0] == bytes[$0] }),
            let day = number(5, 2), let month = CookieDate.month(bytes[8..<11]), let year = number(12, 4),
            let hour = number(17, 2), let minute = number(20, 2), let second = number(23, 2)
        else { return nil }
        return CookieDate(hour: hour, minute: minute, second: second, day: day, month: month, year: year)
            .seconds(allowingLeapSecond: true).map(Double.init)
    }

    private static func obsolete(_ bytes: [UInt8]) -> Double? {
        guard bytes.count <= longest, let zone = bytes.trimmingBlanks.split(separator: 0x20).last else { return nil }
        // The format of asctime() has no zone and ends with the year.
        guard zone.equalsIgnoringCase("GMT") || zone.equalsIgnoringCase("UTC") || zone.allSatisfy(\.isDigit) else {
            return nil
        }
        return CookieDate.secondsSince1970(bytes, allowingLeapSecond: true).map(Double.init)
    }
}
