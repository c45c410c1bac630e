// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation

/// The entries of a manifest called "list".
func entries(_ text: String) throws -> [ManifestEntry] {
    try Manifest(Data(text.utf8), source: "list").entries
}

/// What is wrong with a manifest called "list".
func problems(_ text: String) -> [String] {
    do {
        _ = try Manifest(Data(text.utf8), source: "list")
        return []
    } catch {
        return error.lines
    }
}
