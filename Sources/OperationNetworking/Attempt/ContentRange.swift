internal import Foundation
internal import NetworkingTransport

/// `Content-Range` (RFC 9110, section 14.4) in the unit of bytes.
struct ContentRange: Equatable {
    /// Nil in the answer to a range that cannot be satisfied.
    var first: Int64?
    var last: Int64?
    /// Nil when the server does not know it.
    var total: Int64?

    init?(head: ResponseHead) {
        guard let value = head.firstValue(for: "Content-Range") else { return nil }
        self.init(value)
    }

    init?(_ value: String) {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard halves.count == 2 else { return nil }
        if halves[1] != "*" {
            guard let total = Int64(halves[1]), total >= 0 else { return nil }
            self.total = total
        }
        if halves[0] != "*" {
            let ends = halves[0].split(separator: "-").map { Int64($0.trimmingCharacters(in: .whitespaces)) }
            guard ends.count == 2, let first = ends[0], let last = ends[1], first >= 0, last >= first else {
                return nil
            }
            if let total, last >= total { return nil }
            self.first = first
            self.last = last
        }
    }
}
