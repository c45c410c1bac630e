// SPDX-License-Identifier: MIT

/// What was removed from a cache, and when: what was asked for before does not come into the cache after.
struct CacheRemovals: Sendable {
    /// A place in the order of changes.
    typealias Moment = UInt

    /// Keys that are told apart.
    private static let maximumCount = 1024

    /// Of the last change.
    private(set) var now: Moment = 0
    private var keys: [CacheKey.Digest: Moment] = [:]
    private var all: Moment = 0

    mutating func note(_ key: CacheKey.Digest) {
        now &+= 1
        // Too many to tell apart: as if all had been removed.
        if keys.count >= Self.maximumCount { noteAll() }
        keys[key] = now
    }

    mutating func noteAll() {
        now &+= 1
        keys = [:]
        all = now
    }

    func contains(_ key: CacheKey.Digest, since moment: Moment) -> Bool {
        all > moment || keys[key].map { $0 > moment } == true
    }
}
