// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// The names of a response's fields, in their order, with Foundation's spelling of each: responses of one server differ in
/// a few values only, so that for all but the first nothing has to be hashed, spelled or joined.
struct ResponseLayout: Sendable {
    /// The names as they came, each ended by ":", which no name has in it.
    private let names: [UInt8]
    /// By Foundation's spelling, which of the fields has the value.
    private let order: [String: Int]
    private let contentLength: Int?
    private let contentType: Int?

    /// A program that asks for more than that many kinds of responses finds new ones by Foundation's way for a while.
    private static let limit = 64
    private static let longestNames = 2048
    private static let known = Locked<[UInt64: ResponseLayout]>([:])

    /// The layout of a response that Foundation was given field by field; nil: another response with these names may have
    /// to be taken apart, or joined, in another way.
    private init?(_ places: FieldPlaces, spelledAs table: [String: String]) {
        guard places.names.count <= Self.longestNames, table.count == places.values.count else { return nil }
        var (order, contentLength, contentType) = ([String: Int](minimumCapacity: table.count), Int?.none, Int?.none)
        // Tokens of bounded size.
        let received = places.names.split(separator: UInt8(ascii: ":")).map { String(decoding: $0, as: UTF8.self) }
        for spelling in table.keys {
            guard let place = received.firstIndex(where: spelling.isFieldName) else { return nil }
            switch spelling {
            case "Content-Disposition": return nil
            case "Content-Length": contentLength = place
            case "Content-Type": contentType = place
            default: break
            }
            order[spelling] = place
        }
        names = places.names
        self.order = order
        self.contentLength = contentLength
        self.contentType = contentType
    }

    /// Notes what Foundation made of the fields of `head`.
    static func note(_ table: [String: String], of head: ResponseHead) {
        guard let places = FieldPlaces(head), let layout = ResponseLayout(places, spelledAs: table) else { return }
        known.withLock { layouts in
            // Servers that order them anew each time do not fill it for good.
            if layouts.count >= limit { layouts.removeAll(keepingCapacity: true) }
            layouts[places.hash] = layout
        }
    }

    /// The fields of a head whose names are known, with what Foundation takes from them; nil: they are not, or a value is
    /// one that Foundation has to take apart.
    static func fields(of head: ResponseHead) -> FoundationResponse.Fields? {
        guard let places = FieldPlaces(head),
            let layout = known.withLock({ $0[places.hash] }), layout.names == places.names
        else { return nil }
        return head.rawFields.withUnsafeBytes { bytes in
            func value(_ field: Int) -> String { ResponseHead.value(bytes, places.values[field]) }
            var mediaType: FoundationResponse.MediaType?
            if let place = layout.contentType {
                guard let known = FoundationResponse.mediaType(value(place)) else { return nil }
                mediaType = known
            }
            return FoundationResponse.Fields(
                table: layout.order.mapValues(value), contentLength: layout.contentLength.flatMap { Int64(value($0)) },
                mediaType: mediaType)
        }
    }
}

/// Where the fields of a head are.
private struct FieldPlaces {
    private(set) var names: [UInt8] = []
    private(set) var values: [Range<Int>] = []
    /// Of the names. Not to be relied on: who makes the names can make two that have the same.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    /// nil: there are too many to be worth it.
    init?(_ head: ResponseHead) {
        names.reserveCapacity(192)
        values.reserveCapacity(16)
        var isWhole = true
        head.rawFields.withUnsafeBytes { bytes in
            FieldLines.forEach(in: bytes, from: 0) { name, value in
                isWhole = values.count < Self.limit
                guard isWhole else { return false }
                names.append(contentsOf: bytes[name])
                names.append(UInt8(ascii: ":"))
                values.append(value)
                return true
            }
        }
        guard isWhole, !values.isEmpty else { return nil }
        for byte in names { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    private static let limit = 64
}
