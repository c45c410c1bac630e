// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworking

/// Makes entries of drafts, and notes everything that is wrong with them.
struct ManifestValidator {
    /// What of an entry matters to others, as far as it could be read.
    struct Outline {
        var place: ManifestProblem.Place
        var output: String?
        var id: String?
        var after: [String]
    }

    /// Places of one file.
    private static let maximumSources = 256

    private(set) var problems: [ManifestProblem]
    private(set) var warnings: [ManifestProblem]

    init(problems: [ManifestProblem] = [], warnings: [ManifestProblem] = []) {
        self.problems = problems
        self.warnings = warnings
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
        let (sources, named) = sources(draft)
        let output = output(draft, url: named)
        let checksum = checksum(draft)
        for field in [DraftEntry.Field.id, .group] {
            if let value = draft[field], let reason = Self.problem(withName: value) {
                note(draft, field, reason)
            }
        }
        if draft[.id]?.utf8.contains(UInt8(ascii: ",")) == true {
            note(draft, .id, "must not contain a comma: \"after\" separates with it")
        }
        if draft.after.contains(where: \.isEmpty) { note(draft, .after, "contains an empty id") }
        if !draft.after.allSatisfy(Self.isShort) { note(draft, .after, "contains an id that is too long") }
        var seen: Set<String> = []
        let after = draft.after.filter { !$0.isEmpty && Self.isShort($0) && seen.insert($0).inserted }
        let isReadable = !draft.unreadable.contains(.id) && Self.isShort(draft[.id] ?? "")
        let id = isReadable ? draft[.id] ?? output : nil
        outlines.append(Outline(place: draft.place, output: output, id: id, after: after))
        let headers = headers(draft)
        let settings = settings(draft)
        let size = number(draft, .size, ByteCount.read)
        guard let url = sources.first, let output else { return nil }
        var entry = ManifestEntry(url: url, output: output, id: id, after: after, group: draft[.group])
        entry.mirrors = Array(sources.dropFirst())
        entry.checksum = checksum
        entry.size = size
        entry.headers = headers
        entry.settings = settings
        return entry
    }

    /// The URLs that can be used, and the one that names the file: also one that cannot be used, once that is noted.
    ///
    /// Of several places one in another scheme, which aria2 and others know, is only told.
    private mutating func sources(_ draft: DraftEntry) -> (usable: [URL], named: URL?) {
        guard !draft.unreadable.contains(.url) else { return ([], nil) }
        let texts = [draft.url].compactMap { $0 }.filter { !$0.isEmpty } + draft.mirrors
        guard !texts.isEmpty else {
            note(draft, .url, "is missing")
            return ([], nil)
        }
        guard texts.count <= Self.maximumSources else {
            note(draft, .mirrors, "has \(texts.count) places; \(Self.maximumSources) are allowed")
            return ([], nil)
        }
        var usable: [URL] = []
        var others: [(field: DraftEntry.Field, url: URL?, reason: String)] = []
        for (index, text) in texts.enumerated() {
            do throws(ManifestProblem.Reason) {
                let url = try SourceURL.read(text)
                if !usable.contains(url) { usable.append(url) }
            } catch {
                let isFirst = index == 0 && draft.url?.isEmpty == false
                others.append((isFirst ? .url : .mirrors, URL(escaping: text), error.message))
            }
        }
        for other in others {
            if !usable.isEmpty, other.url.map(SourceURL.isForOthers) == true {
                warnings.append(ManifestProblem(draft.place, other.field.rawValue, other.reason + ", and ignored"))
            } else {
                note(draft, other.field, other.reason)
            }
        }
        return (usable, usable.first ?? others.first?.url)
    }

    private mutating func output(_ draft: DraftEntry, url: URL?) -> String? {
        guard !draft.unreadable.contains(.out), !draft.unreadable.contains(.dir) else { return nil }
        var field = DraftEntry.Field.out
        do throws(OutputName.Failure) {
            var name: String?
            if let out = draft[.out] {
                name = try OutputName.normalized(out)
            } else if let url {
                name = try OutputName.derived(from: url)
            }
            guard let name, let folder = draft[.dir] else { return name }
            field = .dir
            return try OutputName.normalized(folder + "/" + name)
        } catch {
            note(draft, field, error.message)
        }
        return nil
    }

    private mutating func checksum(_ draft: DraftEntry) -> Checksum? {
        if let text = draft[.sha256] {
            if draft[.checksum] != nil { note(draft, .checksum, "is given beside sha256; one of them is enough") }
            if let checksum = Checksum(.sha256, hexadecimal: text) { return checksum }
            note(draft, .sha256, "has to be 64 hexadecimal digits, not \(quoted(text))")
        } else if let text = draft[.checksum] {
            do throws(ManifestProblem.Reason) {
                return try Checksum.read(text)
            } catch {
                note(draft, .checksum, error.message)
            }
        }
        return nil
    }

    /// What is wrong with a field is told without its value, which may be a secret.
    private mutating func headers(_ draft: DraftEntry) -> [HeaderField] {
        var fields: [HeaderField] = []
        for text in draft.header {
            if let problem = HeaderField.problem(with: text) {
                note(draft, .header, problem)
            } else if let field = HeaderField(text) {
                fields.append(field)
            }
        }
        return fields
    }

    private mutating func settings(_ draft: DraftEntry) -> ManifestEntry.Settings {
        var settings = ManifestEntry.Settings()
        settings.split = count(draft, .split, DownloadOptions.splits)
        settings.maximumTries = count(draft, .maxTries, 0...Int64(Int32.max))
        settings.minimumSplitSize = number(draft, .minSplitSize, ByteCount.read)
        settings.rateLimit = number(draft, .limitRate, ByteCount.read)
        if let text = draft[.retryWait] {
            settings.retryWait = ByteCount.seconds(text)
            if settings.retryWait == nil {
                note(draft, .retryWait, "has to be a number of seconds, at most a day, not \(quoted(text))")
            }
        }
        return settings
    }

    private mutating func count(
        _ draft: DraftEntry, _ field: DraftEntry.Field, _ range: ClosedRange<Int64>
    ) -> Int? {
        guard let text = draft[field] else { return nil }
        guard let value = ByteCount.decimal(text.utf8[...]), range.contains(value) else {
            note(
                draft, field, "has to be a number from \(range.lowerBound) to \(range.upperBound), not \(quoted(text))")
            return nil
        }
        return Int(value)
    }

    private mutating func number(
        _ draft: DraftEntry, _ field: DraftEntry.Field, _ read: (String) -> Int64?
    ) -> Int64? {
        guard let text = draft[field] else { return nil }
        if let value = read(text) { return value }
        note(draft, field, "has to be a number of bytes, as 1000, 20M or 2G, not \(quoted(text))")
        return nil
    }

    private static func problem(withName name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if !isShort(name) { return "\(quoted(name)) is too long: \(OutputName.maximumPathLength) bytes are allowed" }
        let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return hasControls ? "\(quoted(name)) contains control characters" : nil
    }

    /// What is compared and looked up has a bounded length: text of combining marks takes a time quadratic in it.
    private static func isShort(_ name: String) -> Bool { name.utf8.count <= OutputName.maximumPathLength }

    private mutating func note(_ draft: DraftEntry, _ field: DraftEntry.Field, _ message: String) {
        problems.append(ManifestProblem(draft.place, field.rawValue, message))
    }
}
