// SPDX-License-Identifier: MIT

/// An entry as it was written, before anything is checked.
struct DraftEntry: Equatable {
    /// The fields of an entry, by their names in all formats.
    enum Field: String, CaseIterable, CodingKey {
        case url, mirrors, out, dir, header, sha256, checksum, size, id, after, group, split
        case minSplitSize = "min-split-size"
        case maxTries = "max-tries"
        case retryWait = "retry-wait"
        case limitRate = "limit-rate"

        /// Whether it may be given more than once.
        var isList: Bool { self == .mirrors || self == .header || self == .after }

        /// What messages list.
        static let known = allCases.map(\.rawValue).joined(separator: ", ")
        static let knownOptions = allCases.dropFirst().map(\.rawValue).joined(separator: ", ")
    }

    var place: ManifestProblem.Place
    var url: String?
    /// Where else the file is.
    var mirrors: [String] = []
    var header: [String] = []
    var after: [String] = []
    /// What stands in a manifest once, by field.
    var texts: [Field: String] = [:]
    /// Fields that could not even be read: a problem has been noted, and nothing more is said about them.
    var unreadable: Set<Field> = []

    init(place: ManifestProblem.Place) {
        self.place = place
    }

    subscript(field: Field) -> String? { texts[field] }

    /// Takes the text of a field in; of a list, one more.
    mutating func add(_ value: String, to field: Field) {
        switch field {
        case .url: url = value
        case .mirrors: mirrors += pieces(of: value, separator: UInt8(ascii: " ")).filter { !$0.isEmpty }
        case .header: header.append(value)
        case .after: after += pieces(of: value, separator: UInt8(ascii: ","))
        default: texts[field] = value
        }
    }

    /// By bytes, because a `Character` may join a separator with a mark that follows it.
    private func pieces(of text: String, separator: UInt8) -> [String] {
        text.utf8.split(separator: separator, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
