// SPDX-License-Identifier: MIT
internal import Foundation

/// The text format: one entry a line, URLs of one file and `key=value` options separated by blanks, and further options on
/// indented lines below.
///
/// - `#` at the beginning of a line or after a blank begins a comment; inside a URL it is the URL's.
/// - A URL or a value may stand in double quotes, and has to if it contains blanks or begins with a double quote.
///   In quotes `\"` is a double quote and `\\` is a backslash; nothing else is special.
/// - An indented line is one option, as in the input files of aria2: what comes after `=` is the value, up to the end of the
///   line, blanks and quotes included. What aria2 knows and batchget does not is told, and ignored.
enum TextManifest {
    static func read(_ data: Data) -> Draft {
        var draft = Draft()
        var seen: Set<DraftEntry.Field> = []
        for (index, bytes) in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let place = ManifestProblem.Place.line(index + 1)
            guard let line = String(bytes: bytes, encoding: .utf8) else {
                draft.problems.append(ManifestProblem(place, "is not UTF-8"))
                draft.isIncomplete = true
                continue
            }
            if !draft.entries.isEmpty, let option = OptionLine(line) {
                option.apply(to: &draft, at: place, seen: &seen)
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
            seen = []
            draft.entries.append(entry(words, at: place, seen: &seen, problems: &draft.problems))
        }
        return draft
    }

    private static func entry(
        _ words: [LineScanner.Word], at place: ManifestProblem.Place, seen: inout Set<DraftEntry.Field>,
        problems: inout [ManifestProblem]
    ) -> DraftEntry {
        var entry = DraftEntry(place: place)
        // Words that are wrong are told by their numbers: they may be of the value of a header field.
        for (index, word) in words.enumerated() {
            let field = word.key.flatMap(DraftEntry.Field.init(rawValue:))
            // A URL is no key and value, since a key has letters, digits and hyphens only.
            if index == 0, field == nil {
                entry.url = word.text
                seen.insert(.url)
                continue
            }
            guard let key = word.key else {
                if Self.isURL(word.text) {
                    entry.mirrors.append(word.text)
                } else {
                    problems.append(
                        ManifestProblem(
                            place, "word \(index + 1) is not an option: after the URL come key=value pairs"))
                }
                continue
            }
            guard let field, field != .url || index == 0 else {
                problems.append(
                    ManifestProblem(
                        place, "word \(index + 1) is an unknown option; known: \(DraftEntry.Field.knownOptions)"))
                continue
            }
            if !field.isList, !seen.insert(field).inserted {
                problems.append(ManifestProblem(place, key, "is given twice"))
                continue
            }
            entry.add(word.value, to: field)
        }
        return entry
    }

    private static func isURL(_ text: String) -> Bool {
        text.range(of: "://", options: .literal) != nil
    }
}
