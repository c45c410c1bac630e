internal import NetworkingTransport

/// A date in a header field (RFC 9110, section 5.6.7), in the present format or one of the two obsolete ones.
enum HTTPDate {
    private static let longest = 64

    /// Seconds since 1970; nil: no date, or one of another zone than GMT.
    static func seconds(_ bytes: some BidirectionalCollection<UInt8>) -> Double? {
        guard bytes.count <= longest, let zone = bytes.trimmingBlanks.split(separator: 0x20).last else { return nil }
        // The format of asctime() has no zone and ends with the year.
        guard zone.equalsIgnoringCase("GMT") || zone.equalsIgnoringCase("UTC") || zone.allSatisfy(\.isDigit) else {
            return nil
        }
        return CookieDate.secondsSince1970(bytes).map(Double.init)
    }
}
