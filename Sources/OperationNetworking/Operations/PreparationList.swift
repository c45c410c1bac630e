// SPDX-License-Identifier: MIT

/// What edits an operation's request before it starts, in order of addition. What comes from one upstream is found at once,
/// however many there are.
struct PreparationList {
    /// What was removed leaves a gap, until half of the places are gaps.
    private var slots: [Preparation?] = []
    /// Where what comes from each upstream is.
    private var places: [ObjectIdentifier: [Int]] = [:]
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// In order.
    var all: [Preparation] { slots.compactMap { $0 } }

    mutating func append(_ preparation: Preparation) {
        places[ObjectIdentifier(preparation.upstream), default: []].append(slots.count)
        slots.append(preparation)
        count += 1
    }

    /// Returns what was removed: the caller releases it where it may.
    mutating func remove(from upstream: AnyObject) -> [Preparation] {
        let removed = (places.removeValue(forKey: ObjectIdentifier(upstream)) ?? []).compactMap { slots[$0].take() }
        count -= removed.count
        if count * 2 < slots.count { close() }
        return removed
    }

    /// Empties the list. Returns what was in it, as `remove(from:)`.
    mutating func removeAll() -> PreparationList {
        defer { self = PreparationList() }
        return self
    }

    /// Closes the gaps.
    private mutating func close() {
        let kept = all
        self = PreparationList()
        for preparation in kept { append(preparation) }
    }
}
