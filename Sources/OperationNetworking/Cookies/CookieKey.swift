// SPDX-License-Identifier: MIT
internal import FoundationNetworking

/// What tells cookies apart (RFC 6265bis, section 5.7): name, domain and path, each by itself, in bytes.
struct CookieKey: Hashable {
    private let bytes: [UInt8]

    init(name: String, domain: String, path: String) {
        // No server can set what separates them.
        bytes = Array(domain.utf8) + [0] + Array(path.utf8) + [0] + Array(name.utf8)
    }
}

extension HTTPCookie {
    var key: CookieKey { CookieKey(name: name, domain: domain, path: path) }

    /// What Foundation's storage keeps one cookie under, although others may have the same: of "c" at "/ab" and "bc" at "/a" it
    /// holds the one that was set last.
    var foundationKey: String { domain + path + name }

    /// Whether its `foundationKey` may be one of so many bytes: a text that is not ASCII has equals of other lengths.
    func mayHaveFoundationKey(ofLengths lengths: Set<Int>) -> Bool {
        lengths.contains(domain.utf8.count + path.utf8.count + name.utf8.count)
            || name.utf8.contains { $0 >= 0x80 }
    }
}
