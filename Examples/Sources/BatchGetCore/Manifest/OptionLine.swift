// SPDX-License-Identifier: MIT
internal import Foundation

/// An indented line of a text manifest: an option of the entry above, as aria2 reads it.
struct OptionLine {
    private let name: String
    private let value: String

    /// Nil for any other line.
    init?(_ line: String) {
        let bytes = line.utf8
        guard let first = bytes.first, Self.isBlank(first),
            let start = bytes.firstIndex(where: { !Self.isBlank($0) }),
            let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
            start < equals, bytes[start..<equals].count <= 64, bytes[start..<equals].allSatisfy(Self.isNameByte)
        else { return nil }
        name = String(decoding: bytes[start..<equals], as: UTF8.self)
        // That is a line of its own.
        guard name != DraftEntry.Field.url.rawValue else { return nil }
        var value = bytes[bytes.index(after: equals)...]
        if value.last == UInt8(ascii: "\r") { value.removeLast() }
        value = value.drop(while: Self.isBlank)
        while value.last.map(Self.isBlank) == true { value.removeLast() }
        self.value = String(decoding: value, as: UTF8.self)
    }

    /// - Parameter seen: the fields that the entry has.
    func apply(to draft: inout Draft, at place: ManifestProblem.Place, seen: inout Set<DraftEntry.Field>) {
        guard let (field, value) = field else {
            if !isWhatIsDoneAnyway {
                draft.warnings.append(
                    ManifestProblem(place, "the option \(quoted(name)) is not known, and ignored"))
            }
            return
        }
        guard field.isList || seen.insert(field).inserted else {
            draft.problems.append(ManifestProblem(place, name, "is given twice"))
            return
        }
        draft.entries[draft.entries.count - 1].add(value, to: field)
    }

    /// What the option is here; nil: nothing.
    private var field: (DraftEntry.Field, String)? {
        switch name {
        case "user-agent": (.header, "User-Agent: " + value)
        case "referer": (.header, "Referer: " + value)
        case "max-download-limit": (.limitRate, value)
        default: DraftEntry.Field(rawValue: name).map { ($0, value) }
        }
    }

    private var isWhatIsDoneAnyway: Bool {
        (name == "continue" || name == "check-integrity") && value == "true"
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
    }
}
