// SPDX-License-Identifier: MIT
internal import CLibCrypto
package import Foundation

/// What stands in FILE.part.json beside a file that is put together from ranges: which parts of it are there, of which file,
/// and what the places of the file said.
///
/// Another one than the library's for whole downloads: neither takes the other's for its own.
package struct PartNote: Codable, Sendable, Equatable {
    /// Bytes of a note. A longer one is neither written nor read.
    package static let maximumSize = 1 << 20
    private static let format = "batchget ranges 2"
    private static let maximumValidatorLength = 1024

    private var format = Self.format
    /// The file that the note is about, so that another one under its name does not count.
    private var file: FileIdentity
    private var total: Int64
    /// First byte and the one after the last, by turns.
    private var parts: [Int64]
    /// Of every place, by the digest of its URL, which may hold secrets itself; empty: none.
    private var validators: [String: String]
    /// What of it answered, after redirects: by the same, as such a digest. Nil in notes of earlier versions.
    private var resources: [String: String]?

    init(_ remains: DownloadPlan.Remains, of file: FileIdentity, at urls: [URL]) {
        self.file = file
        total = remains.total
        parts = remains.parts.flatMap { [$0.lowerBound, $0.upperBound] }
        validators = [:]
        var resources: [String: String] = [:]
        for (index, url) in urls.enumerated() where remains.validators.indices.contains(index) {
            guard let key = Self.digest(of: url) else { continue }
            validators[key] = remains.validators[index] ?? ""
            resources[key] = remains.resources.indices.contains(index) ? remains.resources[index] : nil
        }
        self.resources = resources
    }

    /// Nil for what is no note.
    package init?(_ data: Data) {
        guard data.count <= Self.maximumSize, let note = try? JSONDecoder().decode(PartNote.self, from: data),
            note.format == Self.format
        else { return nil }
        self = note
    }

    func data() -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self), data.count <= Self.maximumSize else { return nil }
        return data
    }

    /// What is there of the file, for a download from these places; nil: it is about another file, or cannot be true.
    ///
    /// - Parameter size: of the file at present.
    func remains(of file: FileIdentity, size: Int64, at urls: [URL]) -> DownloadPlan.Remains? {
        guard file == self.file else { return nil }
        return remains(size: size, at: urls)
    }

    /// The same, whatever file it is about.
    package func remains(size: Int64, at urls: [URL]) -> DownloadPlan.Remains? {
        guard parts.count % 2 == 0 else { return nil }
        var ranges: [Range<Int64>] = []
        for index in stride(from: 0, to: parts.count, by: 2) {
            guard parts[index] < parts[index + 1], parts[index] >= 0, parts[index + 1] <= size else { return nil }
            ranges.append(parts[index]..<parts[index + 1])
        }
        let keys = urls.map { Self.digest(of: $0) }
        let noted = keys.map { $0.flatMap { validators[$0] } }
        guard noted.contains(where: { $0 != nil }) else { return nil }
        let remains = DownloadPlan.Remains(
            total: total, parts: ranges, validators: noted.map { $0.flatMap { Self.isValidator($0) ? $0 : nil } },
            // An earlier version's is taken for that of a file without redirects.
            resources: keys.map { key in key.map { resources?[$0] ?? $0 } })
        return remains.isSound ? remains : nil
    }

    /// Visible ASCII, since it is sent in a field.
    static func isValidator(_ text: String) -> Bool {
        (1...maximumValidatorLength).contains(text.utf8.count) && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
    }

    /// Of a URL without its fragment.
    static func digest(of url: URL) -> String? {
        let bytes = Array(url.publicText.utf8.prefix { $0 != UInt8(ascii: "#") })
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
        return Data(digest).hexadecimal
    }
}
