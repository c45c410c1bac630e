// SPDX-License-Identifier: MIT

/// A key of a stored response, of which a URL may have several.
protocol ResourceKey: Hashable, Sendable {
    /// The resource that the key's URL names.
    var resource: CacheKey.Resource { get }
}

/// The keys of stored responses by their URLs: all that a URL has, whoever asked for it and by which way.
///
/// Has every key that was inserted and not taken out, be its response there or gone meanwhile.
struct KeysByResource<Key: ResourceKey>: Sendable {
    // Most URLs have one key, which takes no set.
    private var first: [CacheKey.Resource: Key] = [:]
    private var others: [CacheKey.Resource: Set<Key>] = [:]
    private(set) var count = 0

    init() {}

    init(_ keys: some Sequence<Key>) {
        for key in keys { insert(key) }
    }

    mutating func insert(_ key: Key) {
        guard let known = first[key.resource] else {
            first[key.resource] = key
            count += 1
            return
        }
        if known != key, others[key.resource, default: []].insert(key).inserted { count += 1 }
    }

    /// Takes all keys of a URL out.
    mutating func take(_ resource: CacheKey.Resource) -> [Key] {
        guard let known = first.removeValue(forKey: resource) else { return [] }
        let keys = [known] + (others.removeValue(forKey: resource) ?? [])
        count -= keys.count
        return keys
    }

    /// Returns true if most keys are of responses that are gone: it is to be made anew, of those that are there.
    ///
    /// - Parameter present: the number of responses that are there.
    func isOvergrown(for present: Int) -> Bool { count > 2 * present + 1024 }
}
