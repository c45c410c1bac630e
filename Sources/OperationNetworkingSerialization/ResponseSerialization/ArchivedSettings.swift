// SPDX-License-Identifier: MIT
package import Foundation

/// Settings that lie in an archive as one ``ArchiveBlob`` under one key.
package protocol ArchivedSettings: Codable {
    /// The key in the archive; each class of an inheritance chain has its own.
    static var archiveKey: String { get }
}

extension ArchivedSettings {
    /// The settings in an archive; `nil` if the archive has none or they are damaged.
    package init?(from coder: NSCoder) {
        guard let settings = ArchiveBlob.decode(Self.self, with: coder, forKey: Self.archiveKey) else { return nil }
        self = settings
    }

    /// Writes the settings; an archive without them is refused when it is read.
    package func encode(to coder: NSCoder) {
        ArchiveBlob.encode(self, with: coder, forKey: Self.archiveKey)
    }
}
