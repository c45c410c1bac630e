// SPDX-License-Identifier: MIT
internal import FoundationNetworking

/// The identity of a cookie (RFC 6265bis, section 5.7): name, domain and path, each by itself, in bytes.
struct CookieKey: Hashable {
    private let bytes: [UInt8]

    init(name: String, domain: String, path: String) {
        // No server can set what separates them.
        bytes = Array(domain.utf8) + [0] + Array(path.utf8) + [0] + Array(name.utf8)
    }
}

extension HTTPCookie {
    var key: CookieKey { CookieKey(name: name, domain: domain, path: path) }

    /// The key of a cookie in Foundation's storage. Several cookies may have the same key: of "c" at "/ab" and "bc" at
    /// "/a" the storage holds the one that was set last.
    var foundationKey: String { domain + path + name }

    /// Returns true if `foundationKey` may be equal to a key of one of these lengths in bytes. Text that is not ASCII
    /// can be equal to text of another length.
    func mayHaveFoundationKey(ofLengths lengths: Set<Int>) -> Bool {
        lengths.contains(domain.utf8.count + path.utf8.count + name.utf8.count)
            || name.utf8.contains { $0 >= 0x80 }
    }
}
