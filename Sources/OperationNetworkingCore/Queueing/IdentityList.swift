// SPDX-License-Identifier: MIT

/// Different objects in the order of addition; each is found and removed in constant time, however many there are.
///
/// A few are looked for one by one. For more, the places are noted, and a removed object leaves a gap, until half of
/// the places are gaps.
struct IdentityList<Element: AnyObject>: Sequence {
    private var slots: [Element?] = []
    /// The place of each object. Empty while there are few objects, or they are only walked through: then `slots` has
    /// no gaps.
    private var places: [ObjectIdentifier: Int] = [:]

    /// The largest number of objects that are looked for one by one.
    private static var fewCount: Int { 16 }

    init() {}

    /// - Parameter elements: different ones, which are only to be walked through.
    init(walking elements: [Element]) { slots = elements }

    var count: Int { places.isEmpty ? slots.count : places.count }
    var isEmpty: Bool { slots.isEmpty }

    func contains(_ element: Element) -> Bool { place(of: element) != nil }

    /// Has no effect when the object is there already.
    mutating func append(_ element: Element) {
        guard !contains(element) else { return }
        if !places.isEmpty { places[ObjectIdentifier(element)] = slots.count }
        slots.append(element)
        if places.isEmpty { notePlaces() }
    }

    /// The object that was removed; nil: it is not there.
    mutating func remove(_ element: Element) -> Element? {
        guard let place = place(of: element) else { return nil }
        guard !places.isEmpty else { return slots.remove(at: place) }
        places[ObjectIdentifier(element)] = nil
        let removed = slots[place].take()
        if places.count * 2 <= slots.count {
            slots.removeAll { $0 == nil }
            places = [:]
            notePlaces()
        }
        return removed
    }

    /// Empties the list; returns what was in it.
    mutating func removeAll() -> [Element] {
        let removed = Array(self)
        slots = []
        places = [:]
        return removed
    }

    func makeIterator() -> some IteratorProtocol<Element> {
        slots.lazy.compactMap { $0 }.makeIterator()
    }

    private func place(of element: Element) -> Int? {
        places.isEmpty ? slots.firstIndex { $0 === element } : places[ObjectIdentifier(element)]
    }

    private mutating func notePlaces() {
        guard slots.count > Self.fewCount else { return }
        places.reserveCapacity(slots.count)
        for case let (place, element?) in slots.enumerated() { places[ObjectIdentifier(element)] = place }
    }
}

extension IdentityList: Sendable where Element: Sendable {}
