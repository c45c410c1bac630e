// SPDX-License-Identifier: MIT
package import Foundation

/// What is to be downloaded.
package struct Manifest: Sendable, Equatable {
    /// In the order of the manifest.
    package var entries: [ManifestEntry]
    /// Lines about what was ignored.
    package var warnings: [String] = []

    /// Reads a manifest: JSON if it begins with "[" or "{", Metalink if it begins with "<", which no line of the text format
    /// does; text otherwise.
    ///
    /// - Parameters:
    ///   - data: UTF-8; nil: there is no manifest but the URLs.
    ///   - source: what errors call it.
    ///   - urls: one entry each, before those of the manifest.
    /// - Throws: `ManifestError` with everything that is wrong.
    package init(_ data: Data?, source: String, urls: [String] = []) throws(ManifestError) {
        var draft = data.map(Self.draft) ?? Draft()
        let arguments = urls.enumerated().map { index, url in
            var entry = DraftEntry(place: .argument(index + 1))
            entry.url = url
            return entry
        }
        draft.entries.insert(contentsOf: arguments, at: 0)
        var validator = ManifestValidator(problems: draft.problems, warnings: draft.warnings)
        let entries = validator.validate(draft)
        guard validator.problems.isEmpty else {
            throw ManifestError(source: source, problems: Self.sorted(validator.problems))
        }
        self.entries = entries
        warnings = Self.sorted(validator.warnings).map { $0.line(source: source) }
    }

    private static func draft(_ data: Data) -> Draft {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = data.starts(with: byteOrderMark) ? data.dropFirst(byteOrderMark.count) : data
        switch content.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
        case UInt8(ascii: "["), UInt8(ascii: "{"): return JSONManifest.read(content)
        case UInt8(ascii: "<"): return MetalinkManifest.read(Data(content))
        default: return TextManifest.read(content)
        }
    }

    /// A stable sort: problems of one place stay in the order in which they were found.
    private static func sorted(_ problems: [ManifestProblem]) -> [ManifestProblem] {
        problems.enumerated()
            .sorted { ($0.element.place.order, $0.offset) < ($1.element.place.order, $1.offset) }
            .map(\.element)
    }
}
