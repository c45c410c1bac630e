internal import Foundation

/// The text format: one entry a line, a URL and `key=value` options separated by blanks.
///
/// - `#` at the beginning of a line or after a blank begins a comment; inside a URL it is the URL's.
/// - A URL or a value may stand in double quotes, and has to if it contains blanks or begins with a double quote.
///   In quotes `\"` is a double quote and `\\` is a backslash; nothing else is special.
enum TextManifest {
    static func read(_ data: Data) -> Draft {
        var draft = Draft()
        for (index, bytes) in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let place = ManifestProblem.Place.line(index + 1)
            guard let line = String(bytes: bytes, encoding: .utf8) else {
                draft.problems.append(ManifestProblem(place, "is not UTF-8"))
                draft.isIncomplete = true
                continue
            }
            var words: [LineScanner.Word] = []
            do {
                words = try LineScanner.words(of: line)
            } catch {
                draft.problems.append(ManifestProblem(place, error.message))
                draft.isIncomplete = true
            }
            guard !words.isEmpty else { continue }
            draft.entries.append(entry(words, at: place, problems: &draft.problems))
        }
        return draft
    }

    private static func entry(
        _ words: [LineScanner.Word], at place: ManifestProblem.Place, problems: inout [ManifestProblem]
    ) -> DraftEntry {
        var entry = DraftEntry(place: place)
        var seen: Set<DraftEntry.Field> = []
        for (index, word) in words.enumerated() {
            let field = word.key.flatMap(DraftEntry.Field.init(rawValue:))
            // A URL is no key and value, since a key has letters and digits only.
            if index == 0, field == nil {
                entry.url = word.text
                seen.insert(.url)
                continue
            }
            guard let key = word.key else {
                problems.append(
                    ManifestProblem(place, "\(quoted(word.text)) is not an option: after the URL come key=value pairs"))
                continue
            }
            guard let field, field != .url || index == 0 else {
                problems.append(
                    ManifestProblem(place, "unknown option \(quoted(key)); known: out, sha256, id, after, group"))
                continue
            }
            if field != .after, !seen.insert(field).inserted {
                problems.append(ManifestProblem(place, key, "is given twice"))
                continue
            }
            set(field, to: word.value, of: &entry)
        }
        return entry
    }

    private static func set(_ field: DraftEntry.Field, to value: String, of entry: inout DraftEntry) {
        switch field {
        case .url: entry.url = value
        case .out: entry.out = value
        case .sha256: entry.sha256 = value
        case .id: entry.id = value
        case .after:
            entry.after += value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        case .group: entry.group = value
        }
    }
}
