// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The age of a stored response, and the age at which it becomes stale (RFC 9111, section 4.2). In seconds.
struct Freshness: Equatable {
    let age: Double
    let lifetime: Double

    var isFresh: Bool { lifetime > age }
    /// The seconds by which the response is too old; 0 or less: it is not stale.
    var staleness: Double { age - lifetime }

    /// The longest time for which a response without an explicit lifetime is fresh.
    static let longestHeuristic: Double = 86400

    init(_ response: StoredResponse, _ control: CacheControl, at now: Double) {
        age = response.age(at: now)
        lifetime = Self.lifetime(response, control)
    }

    /// Sections 4.2.1 and 4.2.2.
    private static func lifetime(_ response: StoredResponse, _ control: CacheControl) -> Double {
        if let maxAge = control.maxAge { return Double(maxAge) }
        let head = response.head
        let date = head.firstBytes(for: .date).flatMap(HTTPDate.seconds) ?? response.responseTime
        if head.contains(.expires) {
            // An invalid date counts as in the past (section 5.3).
            return head.firstBytes(for: .expires).flatMap(HTTPDate.seconds).map { max(0, $0 - date) } ?? 0
        }
        guard StorageRules.isHeuristicallyCacheable(head.statusCode) || control.isPublic,
            let modified = head.firstBytes(for: .lastModified).flatMap(HTTPDate.seconds)
        else { return 0 }
        return min(max(0, date - modified) / 10, longestHeuristic)
    }
}

extension StoredResponse {
    /// Returns the seconds since the origin made or confirmed the response (RFC 9111, section 4.2.3).
    func age(at now: Double) -> Double {
        // A clock that was set back says nothing of the time in between.
        guard now >= responseTime - 1 else { return .infinity }
        let date = head.firstBytes(for: .date).flatMap(HTTPDate.seconds) ?? responseTime
        let apparent = max(0, responseTime - date)
        let delay = max(0, responseTime - requestTime)
        let corrected = ageField + delay
        return max(apparent, corrected) + max(0, now - responseTime)
    }

    /// The first member of the `Age` field (section 5.1); 0: it is missing, or not a number.
    private var ageField: Double {
        guard let value = head.firstBytes(for: .age, limit: 256),
            let first = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).first
        else { return 0 }
        return CacheControl.seconds(Array(first.trimmingBlanks)).map(Double.init) ?? 0
    }

    /// The response as it is given out without validation: with its age (section 5.1).
    func withAge(at now: Double) -> StoredResponse {
        let age = age(at: now)
        let seconds =
            age.isFinite ? min(max(0, age), Double(CacheControl.largestNumber)) : Double(CacheControl.largestNumber)
        var result = self
        result.head = head.replacingFields(adding: Array("Age: \(Int64(seconds))\r\n".utf8)) {
            !$0.equalsIgnoringCase("Age")
        }
        return result
    }
}
