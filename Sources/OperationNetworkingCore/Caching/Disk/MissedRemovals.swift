// SPDX-License-Identifier: MIT

/// The removals that came while not all was known that the files have: what a look finds of them is not to be used.
struct MissedRemovals: Sendable {
    /// The number of URLs, and of keys, that are told apart.
    private static let maximumCount = 1024

    private var resources: Set<CacheKey.Resource> = []
    private var keys: Set<CacheKey.Digest> = []
    /// True: there were too many to tell apart. As if all had been removed.
    private var isAll = false

    /// Everything that a URL has is removed.
    mutating func note(_ resource: CacheKey.Resource) {
        if resources.count >= Self.maximumCount { noteAll() }
        if !isAll { resources.insert(resource) }
    }

    /// The response under a key is removed.
    mutating func note(_ key: CacheKey.Digest) {
        if keys.count >= Self.maximumCount { noteAll() }
        if !isAll { keys.insert(key) }
    }

    private mutating func noteAll() {
        resources = []
        keys = []
        isAll = true
    }

    func contains(_ key: CacheKey.Digest) -> Bool {
        isAll || keys.contains(key) || resources.contains(key.resource)
    }
}
