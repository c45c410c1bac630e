// SPDX-License-Identifier: MIT
internal import CPublicSuffix

/// The names under which the public can register names: `com`, `co.uk`, `github.io` (publicsuffix.org).
///
/// The list is libpsl's, or the system's if that is newer, so that it is kept up to date with the system. Without
/// libpsl a stricter rule takes its place: a single label is a suffix, and so are two labels of which the second is a
/// country's (two letters) and the first has three letters at most.
package struct PublicSuffixList: Sendable {
    /// The list in use.
    package static let shared = PublicSuffixList(usesLibrary: true)

    // Safe because nothing changes after `init`, and libpsl's look-ups may be made on any thread.
    private nonisolated(unsafe) let library: on_psl?

    /// - Parameter usesLibrary: false: as if there was no libpsl.
    package init(usesLibrary: Bool) {
        var library = on_psl()
        self.library = usesLibrary && on_psl_load(&library) != 0 ? library : nil
    }

    /// True if a list was found.
    package var isComplete: Bool { library != nil }

    /// True if `name` is a public suffix.
    ///
    /// - Parameter name: ASCII in lower case, without dots at its ends, and no IP address.
    package func isPublicSuffix(_ name: String) -> Bool {
        guard var library else {
            let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard labels.count > 1 else { return true }
            return labels.count == 2 && labels[1].count == 2 && labels[0].count <= 3
        }
        return name.withCString { on_psl_is_public_suffix(&library, $0) } != 0
    }

    /// The public suffix of a name with one label more: `example.co.uk` for `www.example.co.uk`. Nil when the name has
    /// no such label.
    ///
    /// - Parameter name: As for `isPublicSuffix(_:)`.
    package func registrableDomain(of name: String) -> String? {
        var (rest, longer): (Substring.UTF8View, String?) = (name[...].utf8, nil)
        while true {
            let candidate = String(Substring(rest))
            if isPublicSuffix(candidate) { return longer }
            guard let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { return nil }
            longer = candidate
            rest = rest[rest.index(after: dot)...]
        }
    }
}
