// SPDX-License-Identifier: MIT

/// The removals from a cache, in their order: a response that was asked for before a removal is not stored after it.
struct CacheRemovals: Sendable {
    /// A place in the order of changes.
    typealias Moment = UInt

    /// The number of keys that are told apart.
    private static let maximumCount = 1024

    /// The moment of the last change.
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
