// SPDX-License-Identifier: MIT

/// The removals from a cache, in their order: a response that was asked for before a removal is not stored after it.
struct CacheRemovals: Sendable {
    /// A place in the order of changes.
    typealias Moment = UInt

    /// The number of URLs that are told apart.
    private static let maximumCount = 1024

    /// The moment of the last change.
    private(set) var now: Moment = 0
    private var resources: [CacheKey.Resource: Moment] = [:]
    private var all: Moment = 0

    /// Everything that a URL has is removed.
    mutating func note(_ resource: CacheKey.Resource) {
        now &+= 1
        // Too many to tell apart: as if all had been removed.
        if resources.count >= Self.maximumCount { noteAll() }
        resources[resource] = now
    }

    mutating func noteAll() {
        now &+= 1
        resources = [:]
        all = now
    }

    func contains(_ key: CacheKey.Digest, since moment: Moment) -> Bool {
        all > moment || resources[key.resource].map { $0 > moment } == true
    }
}
