// SPDX-License-Identifier: MIT

/// Values with costs, of which those used least recently go first when they cost too much altogether. Each call is O(1),
/// but for what it removes.
///
/// A pure value: who shares it guards it. What is removed is handed out, to be released where that may take its time.
package struct CostBoundCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let key: Key
        var value: Value
        var cost: Int
        /// Places in `entries`; nil: the first, the last.
        var previous: Int?
        var next: Int?
    }

    /// More is too much.
    package private(set) var capacity: Int
    /// As much stays when it was too much.
    package private(set) var preferredCostAfterPurge: Int
    /// What all values cost.
    package private(set) var totalCost = 0

    private var places: [Key: Int] = [:]
    private var entries: [Entry?] = []
    private var freePlaces: [Int] = []
    /// Used least recently.
    private var first: Int?
    /// Used most recently.
    private var last: Int?

    /// What is below zero counts as zero, and what is to be left as the capacity at most.
    package init(capacity: Int, preferredCostAfterPurge: Int) {
        self.capacity = max(capacity, 0)
        self.preferredCostAfterPurge = min(max(preferredCostAfterPurge, 0), self.capacity)
    }

    package var count: Int { places.count }

    /// From the one used least recently to the one used most recently.
    package var keys: [Key] {
        var keys: [Key] = []
        var place = first
        while let current = place, let entry = entries[current] {
            keys.append(entry.key)
            place = entry.next
        }
        return keys
    }

    /// The value, which now is the one used most recently.
    package mutating func value(forKey key: Key) -> Value? {
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
    package mutating func insert(_ value: Value, forKey key: Key, cost: Int) -> [Value] {
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
        let (sum, isTooMuch) = totalCost.addingReportingOverflow(cost)
        totalCost = isTooMuch ? .max : sum
        // The value that was just put in stays.
        if totalCost > capacity { removed += purge(to: preferredCostAfterPurge, leaving: 1) }
        return removed
    }

    /// Has another capacity from now on, as much of which may stay when there is more.
    ///
    /// - Returns: what is no longer there.
    package mutating func setCapacity(_ capacity: Int) -> [Value] {
        self.capacity = max(capacity, 0)
        preferredCostAfterPurge = self.capacity
        return purge(to: self.capacity, leaving: 0)
    }

    private mutating func purge(to cost: Int, leaving fewest: Int) -> [Value] {
        var removed: [Value] = []
        while totalCost > cost, count > fewest, let oldest = first.flatMap({ entries[$0]?.key }) {
            if let value = removeValue(forKey: oldest) { removed.append(value) }
        }
        return removed
    }

    package mutating func removeValue(forKey key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key), let entry = entries[place] else { return nil }
        unlink(entry)
        entries[place] = nil
        freePlaces.append(place)
        totalCost -= entry.cost
        return entry.value
    }

    package mutating func removeAll() -> [Value] {
        let removed = entries.compactMap { $0?.value }
        self = CostBoundCache(capacity: capacity, preferredCostAfterPurge: preferredCostAfterPurge)
        return removed
    }

    private mutating func link(_ place: Int) {
        entries[place]?.previous = last
        entries[place]?.next = nil
        if let last { entries[last]?.next = place } else { first = place }
        last = place
    }

    private mutating func unlink(_ entry: Entry) {
        if let previous = entry.previous { entries[previous]?.next = entry.next } else { first = entry.next }
        if let next = entry.next { entries[next]?.previous = entry.previous } else { last = entry.previous }
    }
}
