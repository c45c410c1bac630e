// SPDX-License-Identifier: MIT
package import Foundation

/// One file to download, as the manifest asks for it, checked and with all defaults filled in.
package struct ManifestEntry: Sendable, Equatable {
    /// What an entry says of how it is downloaded; nil: what the command line says.
    package struct Settings: Sendable, Equatable {
        /// Ranges at once.
        package var split: Int?
        /// Bytes that a range has at least.
        package var minimumSplitSize: Int64?
        /// Attempts in all; 0: any number.
        package var maximumTries: Int?
        /// Seconds before the second attempt.
        package var retryWait: Double?
        /// Bytes a second; 0: any number.
        package var rateLimit: Int64?

        package init() {}
    }

    /// An http or https URL with a host.
    package var url: URL
    /// Other places of the same file.
    package var mirrors: [URL] = []
    /// Where the file goes: a path below the output directory, without "." and ".." components.
    package var output: String
    /// What other entries call it: given, or the output name.
    package var id: String
    /// What the content must give.
    package var checksum: Checksum?
    /// Bytes that the file must have.
    package var size: Int64?
    /// Ids of the entries that have to be there before.
    package var after: [String]
    /// The group that is cancelled as one.
    package var group: String?
    /// Sent with the requests for this file, beside those for all.
    package var headers: [HeaderField] = []
    package var settings = Settings()

    package init(
        url: URL, output: String, id: String? = nil, sha256: Data? = nil, after: [String] = [], group: String? = nil
    ) {
        self.url = url
        self.output = output
        self.id = id ?? output
        checksum = sha256.map { Checksum(.sha256, $0) }
        self.after = after
        self.group = group
    }

    /// All places of the file, the first one first.
    package var sources: [URL] { [url] + mirrors }

    /// Its header fields as requests take them: of two with one name, in whatever case, the last one.
    var fields: [String: String] {
        let last = Dictionary(headers.map { ($0.name.lowercased(), $0) }) { $1 }
        return Dictionary(uniqueKeysWithValues: last.values.map { ($0.name, $0.value) })
    }
}
