// SPDX-License-Identifier: MIT
package import Foundation

extension URL {
    /// The URL as text without user name and password, for messages and reports.
    package var publicText: String { withoutUserInfo(absoluteString) }
}

/// A URL, or what was meant to be one, without what may be a user name and a password.
func withoutUserInfo(_ text: String) -> String {
    let start = text.range(of: "//")?.upperBound ?? text.startIndex
    let end = text[start...].firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? text.endIndex
    guard let at = text[start..<end].lastIndex(of: "@") else { return text }
    return String(text[..<start] + text[text.index(after: at)...])
}
