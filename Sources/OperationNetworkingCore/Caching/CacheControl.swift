// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The directives of `Cache-Control` fields (RFC 9111, section 5.2; RFC 5861; RFC 8246), of a request or a response.
///
/// If a directive comes twice, the first counts. An invalid number means "not fresh" (section 4.2.1). Text that is no
/// directive is skipped up to the next comma; of a directive with such text, as in `max-age=9, no-store private` where
/// a comma is missing, only what restricts counts.
struct CacheControl: Equatable, Sendable {
    /// Seconds, as are all numbers here.
    var maxAge: Int64?
    /// `.max`: however stale.
    var maxStale: Int64?
    var minFresh: Int64?
    var staleIfError: Int64?
    var staleWhileRevalidate: Int64?
    var noStore = false
    /// Without names of fields.
    var noCache = false
    /// The fields that must not be used without validation, in lower case.
    var noCacheFields: Set<[UInt8]> = []
    var onlyIfCached = false
    var mustRevalidate = false
    var mustUnderstand = false
    var isPublic = false
    var isPrivate = false
    var isImmutable = false

    /// Bytes of one field line that are looked at, and directives in all.
    private static let longestLine = 8192
    private static let maximumDirectives = 128
    /// The value that larger numbers are cut down to (section 1.2.2).
    static let largestNumber: Int64 = 1 << 31

    init() {}

    /// The directives of a response.
    init(_ head: ResponseHead) {
        var count = 0
        head.forEachValue(of: .cacheControl) { take(line: $0, &count) }
    }

    /// The directives of a request. `Pragma: no-cache` counts where there is no `Cache-Control` (section 5.4).
    init(_ request: URLRequest) {
        var count = 0
        if let value = request.value(forHTTPHeaderField: "Cache-Control") {
            take(line: Array(value.utf8), &count)
        } else if let value = request.value(forHTTPHeaderField: "Pragma") {
            noCache = Self.containsNoCache(Array(value.utf8))
        }
    }

    /// Returns true if a `Pragma` field says `no-cache`.
    static func containsNoCache(_ pragma: some Collection<UInt8>) -> Bool {
        pragma.prefix(longestLine).split(separator: UInt8(ascii: ","))
            .contains { Array($0).trimmingBlanks.equalsIgnoringCase("no-cache") }
    }

    private mutating func take(line: some Collection<UInt8>, _ count: inout Int) {
        guard line.count <= Self.longestLine else {
            // Too long to be read whole, and nothing may be concluded from a part of it.
            noStore = true
            return
        }
        var members = FieldMembers(Array(line))
        while let member = members.next() {
            count += 1
            guard count <= Self.maximumDirectives else { return noStore = true }
            if member.isWellFormed || member.value != nil || Self.restricts(member.name) {
                take(member.name, member.value)
            }
        }
    }

    private mutating func take(_ name: ArraySlice<UInt8>, _ value: [UInt8]?) {
        if name.equalsIgnoringCase("max-age") {
            if maxAge == nil { maxAge = Self.seconds(value) ?? 0 }
        } else if name.equalsIgnoringCase("no-store") {
            noStore = true
        } else if name.equalsIgnoringCase("no-cache") {
            guard let value else { return noCache = true }
            let names = Self.fieldNames(value)
            if names.isEmpty { noCache = true }
            noCacheFields.formUnion(names)
        } else if name.equalsIgnoringCase("must-revalidate") {
            mustRevalidate = true
        } else if name.equalsIgnoringCase("must-understand") {
            mustUnderstand = true
        } else if name.equalsIgnoringCase("private") {
            isPrivate = true
        } else if name.equalsIgnoringCase("public") {
            isPublic = true
        } else if name.equalsIgnoringCase("immutable") {
            isImmutable = true
        } else if name.equalsIgnoringCase("only-if-cached") {
            onlyIfCached = true
        } else if name.equalsIgnoringCase("max-stale") {
            if maxStale == nil { maxStale = value == nil ? .max : Self.seconds(value) ?? 0 }
        } else if name.equalsIgnoringCase("min-fresh") {
            if minFresh == nil { minFresh = Self.seconds(value) ?? Self.largestNumber }
        } else if name.equalsIgnoringCase("stale-if-error") {
            if staleIfError == nil { staleIfError = Self.seconds(value) ?? 0 }
        } else if name.equalsIgnoringCase("stale-while-revalidate") {
            if staleWhileRevalidate == nil { staleWhileRevalidate = Self.seconds(value) ?? 0 }
        }
    }

    /// Returns true if a directive restricts without a value, even next to text that is no directive.
    private static func restricts(_ name: ArraySlice<UInt8>) -> Bool {
        name.equalsIgnoringCase("no-store") || name.equalsIgnoringCase("no-cache") || name.equalsIgnoringCase("private")
            || name.equalsIgnoringCase("must-revalidate")
    }

    /// Returns a number of seconds; nil: the value is not a number.
    static func seconds(_ value: [UInt8]?) -> Int64? {
        guard let value, !value.isEmpty, value.allSatisfy(\.isDigit) else { return nil }
        // All digits: if this fails, the number is too large.
        return min(value.decimalNumber ?? largestNumber, largestNumber)
    }

    /// The names in a list, in lower case.
    static func fieldNames(_ list: [UInt8]) -> [[UInt8]] {
        list.split(separator: UInt8(ascii: ","))
            .map { $0.trimmingBlanks.map(\.lowercasedASCII) }
            .filter { !$0.isEmpty && $0.allSatisfy(\.isTokenCharacter) }
    }
}

/// The members of a list of directives: each a token, with a token or quoted string behind "=" or without.
struct FieldMembers {
    struct Member {
        let name: ArraySlice<UInt8>
        /// Empty for a member that is not well-formed, so that it is no number. Nil: there is no value.
        let value: [UInt8]?
        /// True if nothing else stands between the commas.
        let isWellFormed: Bool
    }

    private let bytes: [UInt8]
    private var index = 0
    /// True if there was something between these commas that is no member.
    private var isBroken = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next member, or what begins like one.
    mutating func next() -> Member? {
        while index < bytes.count {
            guard bytes[index].isTokenCharacter else {
                skipOne()
                continue
            }
            let start = index
            while index < bytes.count, bytes[index].isTokenCharacter { index += 1 }
            let name = bytes[start..<index]
            var value: [UInt8]?
            if index < bytes.count, bytes[index] == UInt8(ascii: "=") {
                index += 1
                value = takeValue()
            }
            while index < bytes.count, bytes[index].isBlank { index += 1 }
            if index < bytes.count, bytes[index] != UInt8(ascii: ",") { isBroken = true }
            return Member(name: name, value: isBroken && value != nil ? [] : value, isWellFormed: !isBroken)
        }
        return nil
    }

    /// Skips a byte or a quoted string that no member begins with.
    private mutating func skipOne() {
        switch bytes[index] {
        case UInt8(ascii: ","): isBroken = false
        case let byte where byte.isBlank: break
        case UInt8(ascii: "\""):
            isBroken = true
            _ = takeValue()
            return
        default: isBroken = true
        }
        index += 1
    }

    /// Takes the value after "=".
    private mutating func takeValue() -> [UInt8] {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            let start = index
            while index < bytes.count, bytes[index].isTokenCharacter { index += 1 }
            return Array(bytes[start..<index])
        }
        index += 1
        var value: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
            value.append(bytes[index])
            index += 1
        }
        if index < bytes.count { index += 1 }
        return value
    }
}
