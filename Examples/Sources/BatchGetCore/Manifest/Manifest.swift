package import Foundation

/// What is to be downloaded.
package struct Manifest: Sendable, Equatable {
    /// In the order of the manifest.
    package var entries: [ManifestEntry]

    /// Reads a manifest: JSON if it begins with "[" or "{", which no line of the text format does; text otherwise.
    ///
    /// - Parameters:
    ///   - data: UTF-8.
    ///   - source: what errors call it.
    /// - Throws: `ManifestError` with everything that is wrong.
    package init(_ data: Data, source: String) throws(ManifestError) {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = data.starts(with: byteOrderMark) ? data.dropFirst(byteOrderMark.count) : data
        let first = content.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let isJSON = first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
        let draft = isJSON ? JSONManifest.read(content) : TextManifest.read(content)
        var validator = ManifestValidator(problems: draft.problems)
        let entries = validator.validate(draft)
        guard validator.problems.isEmpty else {
            // A stable sort: problems of one place stay in the order in which they were found.
            let sorted = validator.problems.enumerated().sorted {
                ($0.element.place.order, $0.offset) < ($1.element.place.order, $1.offset)
            }
            throw ManifestError(source: source, problems: sorted.map(\.element))
        }
        self.entries = entries
    }
}
