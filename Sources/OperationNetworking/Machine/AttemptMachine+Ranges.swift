// SPDX-License-Identifier: MIT
internal import FoundationNetworking

/// A range's end.
extension AttemptMachine {
    /// Whether a range that ended is all there is.
    enum Completeness {
        case whole
        /// The range ended before the representation does: ask for what follows.
        case partial
        case fail(URLError)
    }

    /// - Parameters:
    ///   - accepted: bytes that are here now.
    ///   - known: the length of the representation, as far as it was known before.
    func completeness(accepted: @autoclosure () -> Int64?, known: @autoclosure () -> Int64?) -> Completeness {
        guard continuesContent, let accepted = accepted() else { return .whole }
        let range = head.flatMap(ContentRange.init(head:))
        let total = known() ?? range?.total
        // Of a range that ended early more is to come, whether the length of the whole is known or not. Where it is known
        // and all of it is here, a server that gives the end of the range as one byte later (Vapor's `within` does) has
        // nothing more.
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
        return .partial
    }
}
