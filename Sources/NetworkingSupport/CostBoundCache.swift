// SPDX-License-Identifier: MIT

/// Values with costs, of which those used least recently go first when they cost too much altogether. Each call is
/// O(1), but for what it removes.
///
/// A pure value: code that shares it must guard it. Removed values are returned to the caller, to be released where
/// that may take its time.
/// Public, in a module that no product shows, for the reason that `Locked` gives.
public struct CostBoundCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let key: Key
        @usableFromInline var value: Value
        @usableFromInline var cost: Int
        /// Places in `entries`; nil: the first, the last.
        @usableFromInline var previous: Int?
        @usableFromInline var next: Int?

        @inlinable
        init(key: Key, value: Value, cost: Int) { (self.key, self.value, self.cost) = (key, value, cost) }
    }

    @usableFromInline var limit: Int
    @usableFromInline var limitAfterPurge: Int
    @usableFromInline var total = 0

    @usableFromInline var places: [Key: Int] = [:]
    @usableFromInline var entries: [Entry?] = []
    @usableFromInline var freePlaces: [Int] = []
    /// Used least recently.
    @usableFromInline var first: Int?
    /// Used most recently.
    @usableFromInline var last: Int?

    /// Makes an empty cache. Negative values count as zero, and the cost to be left after a purge is at most the
    /// capacity.
    @inlinable
    public init(capacity: Int, preferredCostAfterPurge: Int) {
        limit = max(capacity, 0)
        limitAfterPurge = min(max(preferredCostAfterPurge, 0), max(capacity, 0))
    }

    /// The highest total cost. When the values cost more, some are removed.
    @inlinable
    public var capacity: Int { limit }

    /// The highest total cost that is left after values had to be removed.
    @inlinable
    public var preferredCostAfterPurge: Int { limitAfterPurge }

    /// The total cost of all values.
    @inlinable
    public var totalCost: Int { total }

    /// The number of values.
    @inlinable
    public var count: Int { places.count }

    /// The keys, from the one used least recently to the one used most recently.
    @inlinable
    public var keys: [Key] {
        var keys: [Key] = []
        var place = first
        while let current = place, let entry = entries[current] {
            keys.append(entry.key)
            place = entry.next
        }
        return keys
    }

    /// The value, which now is the one used most recently.
    @inlinable
    public mutating func value(forKey key: Key) -> Value? {
        guard let place = places[key], let entry = entries[place] else { return nil }
        if last != place {
            unlink(entry)
            link(place)
        }
        return entry.value
    }

    /// Puts a value in, in place of the one with the same key. One that alone costs more than the capacity is not kept.
    ///
    /// - Returns: what is no longer there.
    @inlinable
    public mutating func insert(_ value: Value, forKey key: Key, cost: Int) -> [Value] {
        let cost = max(cost, 0)
        var removed = removeValue(forKey: key).map { [$0] } ?? []
        guard cost <= capacity else { return removed + [value] }
        let place: Int
        if let free = freePlaces.popLast() {
            place = free
        } else {
            place = entries.count
            entries.append(nil)
        }
        entries[place] = Entry(key: key, value: value, cost: cost)
        places[key] = place
        link(place)
        // Each is at most the capacity, and so is what was there.
        let (sum, isTooMuch) = total.addingReportingOverflow(cost)
        total = isTooMuch ? .max : sum
        // The value that was just put in stays.
        if totalCost > capacity { removed += purge(to: preferredCostAfterPurge, leaving: 1) }
        return removed
    }

    /// Has another capacity from now on, as much of which may stay when there is more.
    ///
    /// - Returns: what is no longer there.
    @inlinable
    public mutating func setCapacity(_ capacity: Int) -> [Value] {
        limit = max(capacity, 0)
        limitAfterPurge = limit
        return purge(to: limit, leaving: 0)
    }

    @inlinable
    mutating func purge(to cost: Int, leaving fewest: Int) -> [Value] {
        var removed: [Value] = []
        while totalCost > cost, count > fewest, let oldest = first.flatMap({ entries[$0]?.key }) {
            if let value = removeValue(forKey: oldest) { removed.append(value) }
        }
        return removed
    }

    /// Removes a value and returns it; nil: the cache has no such value.
    @inlinable
    public mutating func removeValue(forKey key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key), let entry = entries[place] else { return nil }
        unlink(entry)
        entries[place] = nil
        freePlaces.append(place)
        total -= entry.cost
        return entry.value
    }

    /// Takes all values out.
    @inlinable
    public mutating func removeAll() -> [Value] {
        let removed = entries.compactMap { $0?.value }
        self = CostBoundCache(capacity: capacity, preferredCostAfterPurge: preferredCostAfterPurge)
        return removed
    }

    @inlinable
    mutating func link(_ place: Int) {
        entries[place]?.previous = last
        entries[place]?.next = nil
        if let last { entries[last]?.next = place } else { first = place }
        last = place
    }

    @inlinable
    mutating func unlink(_ entry: Entry) {
        if let previous = entry.previous { entries[previous]?.next = entry.next } else { first = entry.next }
        if let next = entry.next { entries[next]?.previous = entry.previous } else { last = entry.previous }
    }
}
