// SPDX-License-Identifier: MIT
internal import FoundationNetworking

/// The progress of one attempt's ranges, which follow one another because each ended early. A server that sends a byte
/// at a time would be asked without end. A server that sends a cache's blocks, or a limited number of bytes, is
/// accepted.
struct RangeProgress {
    /// Bytes that are worth a request, however much is missing.
    static let largeRange: Int64 = 64 << 10
    /// The least share of what is missing that is worth a request otherwise: one part of so many.
    static let leastShare: Int64 = 16
    /// The number of ranges with less than either that are accepted. Each good one makes up for another.
    static let patience = 20

    private var shortRanges = 0

    /// Takes note of a range that more is to follow.
    ///
    /// - Parameters:
    ///   - count: its bytes.
    ///   - missing: bytes that were missing when it was asked for, as far as that is known.
    /// - Returns: true if more is to be asked for.
    mutating func note(_ count: Int64, of missing: Int64?) -> Bool {
        let isGood = count >= Self.largeRange || missing.map { count >= max(1, $0 / Self.leastShare) } == true
        shortRanges = isGood ? max(0, shortRanges - 1) : shortRanges + 1
        return shortRanges <= Self.patience
    }
}

/// A range's end.
extension AttemptMachine {
    /// The state of the content when a range has ended.
    enum Completeness {
        case whole
        /// The range ended before the representation does: ask for what follows.
        case partial
        case fail(URLError)
    }

    /// - Parameters:
    ///   - accepted: bytes that are here now.
    ///   - known: the length of the representation, as far as it was known before.
    mutating func completeness(accepted: @autoclosure () -> Int64?, known: @autoclosure () -> Int64?) -> Completeness {
        guard continuesContent, let accepted = accepted() else { return .whole }
        let range = head.flatMap(ContentRange.init(head:))
        let total = known() ?? range?.total
        // Of a range that ended early more is to come, whether the length of the whole is known or not. Where it is
        // known and all of it is here, a server that gives the end of the range as one byte later (Vapor's `within`
        // does) has nothing more.
        let announced = range?.last.map { accepted - 1 < $0 && !(accepted == $0 && accepted == total) } ?? false
        if let last = range?.last, accepted - 1 > last || total.map({ accepted > $0 }) == true {
            return .fail(
                URLError(
                    .cannotParseResponse, url: url,
                    reason: "the server sent \(accepted) bytes of a content "
                        + (total.map { "of \($0)" } ?? "whose part ends with byte \(last)")))
        }
        guard announced || total.map({ accepted < $0 }) == true else { return .whole }
        guard accepted > offset else {
            return .fail(
                URLError(
                    .networkConnectionLost, url: url,
                    reason: "the server sent \(accepted) of \(total.map(String.init) ?? "more") bytes, and no more"))
        }
        guard rangeProgress.note(accepted - offset, of: total.map { $0 - offset }) else {
            return .fail(
                URLError(
                    .networkConnectionLost, url: url,
                    reason: "the server sends the rest in pieces too small to be asked for one by one: after "
                        + "\(accepted) of \(total.map(String.init) ?? "more") bytes the last had \(accepted - offset)"))
        }
        return .partial
    }
}
