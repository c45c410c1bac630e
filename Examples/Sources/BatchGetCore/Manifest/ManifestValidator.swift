internal import Foundation

/// Makes entries of drafts, and notes everything that is wrong with them.
struct ManifestValidator {
    /// What of an entry matters to others, as far as it could be read.
    struct Outline {
        var place: ManifestProblem.Place
        var output: String?
        var id: String?
        var after: [String]
    }

    private(set) var problems: [ManifestProblem]

    init(problems: [ManifestProblem] = []) {
        self.problems = problems
    }

    /// What can be made of the drafts; good for use only if there are no problems.
    mutating func validate(_ draft: Draft) -> [ManifestEntry] {
        var outlines: [Outline] = []
        let entries = draft.entries.compactMap { entry($0, outlines: &outlines) }
        problems += OutputConflicts.problems(in: outlines)
        problems += DependencyProblems.problems(in: outlines, isIncomplete: draft.isIncomplete)
        return entries
    }

    private mutating func entry(_ draft: DraftEntry, outlines: inout [Outline]) -> ManifestEntry? {
        let url = url(draft)
        let output = output(draft, url: url)
        let digest = digest(draft)
        for (field, value) in [("id", draft.id), ("group", draft.group)] {
            if let value, let reason = Self.problem(withName: value) { note(draft, field, reason) }
        }
        if draft.id?.utf8.contains(UInt8(ascii: ",")) == true {
            note(draft, "id", "must not contain a comma: \"after\" separates with it")
        }
        if draft.after.contains(where: \.isEmpty) { note(draft, "after", "contains an empty id") }
        if !draft.after.allSatisfy(Self.isShort) { note(draft, "after", "contains an id that is too long") }
        var seen: Set<String> = []
        let after = draft.after.filter { !$0.isEmpty && Self.isShort($0) && seen.insert($0).inserted }
        let isReadable = !draft.unreadable.contains(.id) && Self.isShort(draft.id ?? "")
        let id = isReadable ? draft.id ?? output : nil
        outlines.append(Outline(place: draft.place, output: output, id: id, after: after))
        guard let url, let output else { return nil }
        return ManifestEntry(url: url, output: output, id: id, sha256: digest, after: after, group: draft.group)
    }

    /// Also a URL that cannot be used, once that is noted: the file's name follows from it all the same.
    private mutating func url(_ draft: DraftEntry) -> URL? {
        guard !draft.unreadable.contains(.url) else { return nil }
        guard let text = draft.url, !text.isEmpty else {
            note(draft, "url", "is missing")
            return nil
        }
        let shown = quoted(withoutUserInfo(text))
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
            note(draft, "url", "\(shown) is not a URL")
            return nil
        }
        guard scheme == "http" || scheme == "https" else {
            note(draft, "url", "\(shown) is neither http nor https")
            return url
        }
        guard let host = url.host(percentEncoded: true), !host.isEmpty else {
            note(draft, "url", "\(shown) has no host")
            return url
        }
        return url
    }

    private mutating func output(_ draft: DraftEntry, url: URL?) -> String? {
        guard !draft.unreadable.contains(.out) else { return nil }
        do {
            if let out = draft.out { return try OutputName.normalized(out) }
            if let url { return try OutputName.derived(from: url) }
        } catch {
            note(draft, "out", error.message)
        }
        return nil
    }

    private mutating func digest(_ draft: DraftEntry) -> Data? {
        guard let text = draft.sha256 else { return nil }
        guard let digest = Data(hexadecimal: text), digest.count == 32 else {
            note(draft, "sha256", "has to be 64 hexadecimal digits, not \(quoted(text))")
            return nil
        }
        return digest
    }

    private static func problem(withName name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if !isShort(name) { return "\(quoted(name)) is too long: \(OutputName.maximumPathLength) bytes are allowed" }
        let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return hasControls ? "\(quoted(name)) contains control characters" : nil
    }

    /// What is compared and looked up has a bounded length: text of combining marks takes a time quadratic in it.
    private static func isShort(_ name: String) -> Bool { name.utf8.count <= OutputName.maximumPathLength }

    private mutating func note(_ draft: DraftEntry, _ field: String, _ message: String) {
        problems.append(ManifestProblem(draft.place, field, message))
    }
}
