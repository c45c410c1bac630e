// SPDX-License-Identifier: MIT
internal import Foundation

/// The JSON format: an array of objects, or an object with such an array under "downloads".
enum JSONManifest {
    /// Bytes of a string. Names of fields are looked up in tables, which for text of combining marks takes a time quadratic
    /// in its length.
    private static let maximumStringLength = 16_384

    static func read(_ data: Data) -> Draft {
        // Foundation would read it as UTF-16 or 32, whatever is seen in its bytes here.
        guard !data.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) else {
            return Draft(problems: [ManifestProblem(.manifest, "is not in UTF-8")])
        }
        guard !hasLongString(data) else {
            return Draft(problems: [
                ManifestProblem(.manifest, "contains a string of more than \(maximumStringLength) bytes")
            ])
        }
        do {
            let root = try JSONDecoder().decode(Root.self, from: data)
            var draft = Draft(problems: root.unknown.map { ManifestProblem(.manifest, $0, "unknown field") })
            for (index, entry) in root.entries.enumerated() {
                let place = ManifestProblem.Place.entry(index + 1)
                draft.problems += entry.problems.map { ManifestProblem(place, $0.field, $0.message) }
                var fields = entry.draft
                fields.place = place
                draft.entries.append(fields)
            }
            return draft
        } catch {
            return Draft(problems: [ManifestProblem(.manifest, message(error, data))])
        }
    }

    private static func hasLongString(_ data: Data) -> Bool {
        // Bytes since the opening quote; nil: outside of a string.
        var length: Int?
        var isEscaped = false
        for byte in data {
            guard let present = length else {
                if byte == UInt8(ascii: "\"") { length = 0 }
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped {
                length = nil
            } else {
                guard present < maximumStringLength else { return true }
                length = present + 1
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            }
        }
        return false
    }

    /// What the decoder says, without the names of Swift types.
    private static func message(_ error: any Error, _ data: Data) -> String {
        guard case DecodingError.dataCorrupted = error else {
            return "has to be an array of objects, or an object with such an array under \"downloads\""
        }
        // The decoder does not tell the place on Linux.
        do {
            _ = try JSONSerialization.jsonObject(with: data)
            return "is not JSON"
        } catch {
            let reason =
                (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? error.localizedDescription
            guard let match = reason.firstMatch(of: /around character (\d+)/), let offset = Int(match.1) else {
                return "is not JSON: \(reason)"
            }
            let line = 1 + data.prefix(offset).filter { $0 == UInt8(ascii: "\n") }.count
            return "is not JSON: \(reason) (line \(line))"
        }
    }
}

/// Any name of a field.
private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}

/// The whole of a manifest.
private struct Root: Decodable {
    var entries: [LenientEntry]
    var unknown: [String] = []

    init(from decoder: any Decoder) throws {
        guard let object = try? decoder.container(keyedBy: AnyKey.self) else {
            entries = try [LenientEntry](from: decoder)
            return
        }
        entries = try object.decode([LenientEntry].self, forKey: AnyKey(stringValue: "downloads"))
        unknown = object.allKeys.map(\.stringValue).filter { $0 != "downloads" }.sorted()
    }
}

/// An entry whose fields are read one by one, so that everything that is wrong with it is found and not the first thing
/// only.
private struct LenientEntry: Decodable {
    typealias Field = DraftEntry.Field

    var draft = DraftEntry(place: .manifest)
    var problems: [(field: String?, message: String)] = []

    init(from decoder: any Decoder) throws {
        guard let object = try? decoder.container(keyedBy: AnyKey.self) else {
            problems.append((nil, "is not an object"))
            draft.unreadable = Set(Field.allCases)
            return
        }
        for field in Field.allCases {
            switch field {
            case .mirrors: draft.mirrors = value(field, in: object, kind: "an array of strings") ?? []
            case .header: draft.header = value(field, in: object, kind: "an array of strings") ?? []
            case .after: draft.after = value(field, in: object, kind: "an array of strings") ?? []
            case .size, .split, .minSplitSize, .maxTries, .retryWait, .limitRate:
                let scalar: Scalar? = value(field, in: object, kind: "a number or a string")
                draft.texts[field] = scalar?.text
            default:
                let text: String? = value(field, in: object, kind: "a string")
                if let text { draft.add(text, to: field) }
            }
        }
        for key in object.allKeys.map(\.stringValue).sorted() where Field(rawValue: key) == nil {
            problems.append((key, "unknown field; known: \(Field.known)"))
        }
    }

    /// The value of a field; nil where it is missing, or null.
    private mutating func value<Value: Decodable>(
        _ field: Field, in object: KeyedDecodingContainer<AnyKey>, kind: String
    ) -> Value? {
        do {
            return try object.decodeIfPresent(Value.self, forKey: AnyKey(stringValue: field.rawValue))
        } catch {
            problems.append((field.rawValue, "has to be \(kind)"))
            draft.unreadable.insert(field)
            return nil
        }
    }
}

/// A number, or a string with one: "1.5", "20M".
private struct Scalar: Decodable {
    var text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self.text = text
        } else if let number = try? container.decode(Int64.self) {
            text = String(number)
        } else {
            text = String(try container.decode(Double.self))
        }
    }
}
