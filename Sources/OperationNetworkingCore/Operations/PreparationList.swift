// SPDX-License-Identifier: MIT

/// The edits of an operation's request before it starts, in order of addition. The edits from one upstream are found at
/// once, however many there are.
struct PreparationList {
    /// A removed edit leaves a gap, until half of the places are gaps.
    private var slots: [Preparation?] = []
    /// The places of the edits from each upstream.
    private var places: [ObjectIdentifier: [Int]] = [:]
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The edits in order.
    var all: [Preparation] { slots.compactMap { $0 } }

    mutating func append(_ preparation: Preparation) {
        places[ObjectIdentifier(preparation.upstream), default: []].append(slots.count)
        slots.append(preparation)
        count += 1
    }

    /// Returns the removed edits: the caller releases them where it may.
    mutating func remove(from upstream: AnyObject) -> [Preparation] {
        let removed = (places.removeValue(forKey: ObjectIdentifier(upstream)) ?? []).compactMap { slots[$0].take() }
        count -= removed.count
        if count * 2 < slots.count { close() }
        return removed
    }

    /// Empties the list. Returns its content, as `remove(from:)`.
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
