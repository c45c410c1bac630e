package import Foundation

/// One file to download, as the manifest asks for it, checked and with all defaults filled in.
package struct ManifestEntry: Sendable, Equatable {
    /// An http or https URL with a host.
    package var url: URL
    /// Where the file goes: a path below the output directory, without "." and ".." components.
    package var output: String
    /// What other entries call it: given, or the output name.
    package var id: String
    /// The SHA-256 digest that the content must have, 32 bytes.
    package var sha256: Data?
    /// Ids of the entries that have to be there before.
    package var after: [String]
    /// The group that is cancelled as one.
    package var group: String?

    package init(
        url: URL, output: String, id: String? = nil, sha256: Data? = nil, after: [String] = [], group: String? = nil
    ) {
        self.url = url
        self.output = output
        self.id = id ?? output
        self.sha256 = sha256
        self.after = after
        self.group = group
    }
}
