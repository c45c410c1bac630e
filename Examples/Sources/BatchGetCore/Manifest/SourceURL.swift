// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworking

/// The rules for the URL of a file.
enum SourceURL {
    /// An http or https URL with a host.
    static func read(_ text: String) throws(ManifestProblem.Reason) -> URL {
        let shown = quoted(withoutUserInfo(text))
        guard let url = URL(escaping: text), let scheme = url.scheme?.lowercased() else {
            throw .init("\(shown) is not a URL")
        }
        guard scheme == "http" || scheme == "https" else { throw .init("\(shown) is neither http nor https") }
        guard let host = url.host(percentEncoded: true), !host.isEmpty else { throw .init("\(shown) has no host") }
        return url
    }

    /// Whether it is in a scheme of which a manifest for several programs may have URLs.
    static func isForOthers(_ url: URL) -> Bool {
        ["ftp", "ftps", "sftp", "rsync", "magnet"].contains(url.scheme?.lowercased())
    }
}
