// SPDX-License-Identifier: MIT
internal import Foundation

/// What of a manifest a queue has no place for.
package enum QueueRules {
    private static let secrets: Set<String> = ["authorization", "proxy-authorization", "cookie"]

    /// - Returns: lines about what would be wrong to leave out; empty: everything can be queued.
    package static func problems(with entries: [ManifestEntry]) -> [String] {
        var problems: [String] = []
        for entry in entries {
            if let checksum = entry.checksum, checksum.algorithm != .sha256 {
                problems.append(
                    "\(entry.id): with --queue a checksum has to be sha-256, not \(checksum.algorithm.rawValue)")
            }
            if entry.size != nil, entry.checksum == nil {
                problems.append("\(entry.id): with --queue a size is not verified; give a sha-256 checksum, or no size")
            }
            if entry.url.user != nil || entry.url.password != nil {
                problems.append(
                    "\(entry.id): a user name in the URL would be stored in the queue; give each run a --header-file")
            }
            for field in entry.headers where secrets.contains(field.name.lowercased()) {
                problems.append(
                    "\(entry.id): the field \(field.name) would be stored in the queue; give each run a --header-file")
            }
        }
        return problems
    }

    /// - Returns: lines about what does not count.
    package static func warnings(about entries: [ManifestEntry]) -> [String] {
        entries.compactMap { entry in
            var ignored: [String] = []
            if !entry.mirrors.isEmpty { ignored.append("all places but the first") }
            if entry.settings.split ?? 1 > 1 { ignored.append("split") }
            if entry.settings.rateLimit ?? 0 > 0 { ignored.append("limit-rate") }
            return ignored.isEmpty ? nil : "\(entry.id): with --queue ignored: \(ignored.joined(separator: ", "))"
        }
    }
}
