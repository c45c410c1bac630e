// SPDX-License-Identifier: MIT

/// A response field that the library itself looks for.
package enum KnownField: Int, CaseIterable, Sendable {
    case acceptRanges, age, cacheControl, contentEncoding, contentLocation, contentRange, contentType, date, entityTag
    case expires, lastModified, location, pragma, setCookie, transferEncoding, vary, wwwAuthenticate

    var name: StaticString {
        switch self {
        case .acceptRanges: "Accept-Ranges"
        case .age: "Age"
        case .cacheControl: "Cache-Control"
        case .contentEncoding: "Content-Encoding"
        case .contentLocation: "Content-Location"
        case .contentRange: "Content-Range"
        case .contentType: "Content-Type"
        case .date: "Date"
        case .entityTag: "ETag"
        case .expires: "Expires"
        case .lastModified: "Last-Modified"
        case .location: "Location"
        case .pragma: "Pragma"
        case .setCookie: "Set-Cookie"
        case .transferEncoding: "Transfer-Encoding"
        case .vary: "Vary"
        case .wwwAuthenticate: "WWW-Authenticate"
        }
    }

    /// The field called so (any case); nil: none of these.
    init?(_ name: Slice<UnsafeRawBufferPointer>) {
        // One comparison or a few for names of these lengths, and none for others.
        switch name.count {
        case 3 where name.equalsIgnoringCase(Self.age.name): self = .age
        case 4 where name.equalsIgnoringCase(Self.date.name): self = .date
        case 4 where name.equalsIgnoringCase(Self.entityTag.name): self = .entityTag
        case 4 where name.equalsIgnoringCase(Self.vary.name): self = .vary
        case 6 where name.equalsIgnoringCase(Self.pragma.name): self = .pragma
        case 7 where name.equalsIgnoringCase(Self.expires.name): self = .expires
        case 8 where name.equalsIgnoringCase(Self.location.name): self = .location
        case 10 where name.equalsIgnoringCase(Self.setCookie.name): self = .setCookie
        case 12 where name.equalsIgnoringCase(Self.contentType.name): self = .contentType
        case 13 where name.equalsIgnoringCase(Self.acceptRanges.name): self = .acceptRanges
        case 13 where name.equalsIgnoringCase(Self.cacheControl.name): self = .cacheControl
        case 13 where name.equalsIgnoringCase(Self.contentRange.name): self = .contentRange
        case 13 where name.equalsIgnoringCase(Self.lastModified.name): self = .lastModified
        case 16 where name.equalsIgnoringCase(Self.contentEncoding.name): self = .contentEncoding
        case 16 where name.equalsIgnoringCase(Self.contentLocation.name): self = .contentLocation
        case 16 where name.equalsIgnoringCase(Self.wwwAuthenticate.name): self = .wwwAuthenticate
        case 17 where name.equalsIgnoringCase(Self.transferEncoding.name): self = .transferEncoding
        default: return nil
        }
    }
}

/// The place of the first line of each known field, found in one pass: most of them are asked for and absent.
struct FieldIndex: Sendable {
    /// By field: the place plus one; 0: the field is absent.
    private var places = InlineArray<17, UInt32>(repeating: 0)

    init(_ bytes: UnsafeRawBufferPointer) {
        FieldLines.forEach(in: bytes, from: 0) { name, _ in
            if let field = KnownField(bytes[name]), places[field.rawValue] == 0,
                let place = UInt32(exactly: name.lowerBound + 1)
            {
                places[field.rawValue] = place
            }
            return true
        }
    }

    /// The index of the same bytes without `gaps`, which are in order; nil: one of the fields began in a gap.
    func removing(_ gaps: [Range<Int>]) -> FieldIndex? {
        var result = self
        for field in KnownField.allCases {
            guard let place = self[field] else { continue }
            for gap in gaps {
                if place < gap.lowerBound { break }
                if place < gap.upperBound { return nil }
                result.places[field.rawValue] -= UInt32(gap.count)
            }
        }
        return result
    }

    subscript(field: KnownField) -> Int? {
        let place = places[field.rawValue]
        return place == 0 ? nil : Int(place) - 1
    }
}
