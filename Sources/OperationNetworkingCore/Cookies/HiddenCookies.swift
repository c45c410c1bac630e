// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import NetworkingSupport
internal import Synchronization

/// A cookie that a storage of Foundation's has no place for, because that shows another one there.
struct HiddenCookie: Sendable {
    let cookie: HTTPCookie
    /// The cookie that the storage shows. Once the program has removed or replaced it, the hidden one is gone, too: to
    /// the program they are one, and a cookie that it has deleted must not be sent any more.
    let shown: HTTPCookie
}

/// The hidden cookies of all storages: most have none.
enum HiddenCookies {
    private struct Entry: Sendable {
        weak var storage: HTTPCookieStorage?
        var cookies: [HiddenCookie]
    }

    private static let entries = Locked<[ObjectIdentifier: Entry]>([:])
    /// The size of `entries`, so that the lock need not be taken while there are none.
    private static let count = Atomic<Int>(0)
    /// Another number after each change.
    private static let changes = Atomic<UInt64>(0)

    static var version: UInt64 { changes.load(ordering: .acquiring) }

    /// Returns the cookies that the storage has no place for, as they were set last.
    static func of(_ storage: HTTPCookieStorage) -> [HiddenCookie] {
        guard count.load(ordering: .acquiring) > 0 else { return [] }
        return entries.withLock { entries in
            guard let entry = entries[ObjectIdentifier(storage)], entry.storage === storage else { return [] }
            return entry.cookies
        }
    }

    static func set(_ cookies: [HiddenCookie], of storage: HTTPCookieStorage) {
        guard !cookies.isEmpty || count.load(ordering: .acquiring) > 0 else { return }
        // What goes is released outside the lock.
        let before = entries.withLock { entries in
            let before = entries
            entries = entries.filter { $0.value.storage != nil }
            entries[ObjectIdentifier(storage)] =
                cookies.isEmpty ? nil : Entry(storage: storage, cookies: cookies)
            count.store(entries.count, ordering: .releasing)
            changes.wrappingAdd(1, ordering: .releasing)
            return before
        }
        withExtendedLifetime(before) {}
    }
}

extension HTTPCookieStorage {
    /// The cookies that count: what Foundation shows, and what it has no place for.
    var knownCookies: (shown: [HTTPCookie], hidden: [HiddenCookie]) {
        var (shown, found) = ([HTTPCookie](), [HiddenCookie]())
        // Again when cookies changed places meanwhile. Constant changes must not keep a request waiting.
        for _ in 0..<8 {
            let version = HiddenCookies.version
            found = HiddenCookies.of(self)
            shown = cookies ?? []
            if HiddenCookies.version == version { break }
        }
        guard !found.isEmpty else { return (shown, []) }
        let present = Set(shown.map { ObjectIdentifier($0) })
        var keys = Set(shown.map(\.key))
        let hidden = found.filter {
            present.contains(ObjectIdentifier($0.shown)) && keys.insert($0.cookie.key).inserted
        }
        return (shown, hidden)
    }

    /// The same in one list.
    var allCookies: [HTTPCookie] {
        let (shown, hidden) = knownCookies
        return hidden.isEmpty ? shown : shown + hidden.map(\.cookie)
    }
}
