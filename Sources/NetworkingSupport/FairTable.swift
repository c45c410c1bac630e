// SPDX-License-Identifier: MIT

/// A bounded table whose entries belong to owners. When it is full, an entry goes of the owner that has most of them:
/// an owner that fills it has only its own entries to lose. Each call is O(1).
///
/// Of owners that have as many, it is the one that was used, or lost an entry, longest ago, and of its entries the one
/// used longest ago. A pure value: code that shares it must guard it.
package struct FairTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Numbers of list members: those before and after, −1 for none.
    private struct Links {
        var previous = -1
        var next = -1
    }
    /// The ends of a list; −1: it is empty.
    private struct Ends {
        var first = -1
        var last = -1
    }
    private struct Entry {
        let key: Key
        var value: Value
        let owner: Int
        /// In the owner's list, used longest ago first.
        var links = Links()
    }
    private struct Owner {
        let name: String
        var count = 0
        var members = Ends()
        /// In the list of owners that have as many entries, used longest ago first.
        var links = Links()
    }

    /// Entries at most, 1 at least.
    package let capacity: Int
    private var places: [Key: Int] = [:]
    private var entries: [Entry?] = []
    private var freeEntries: [Int] = []
    private var ownerPlaces: [String: Int] = [:]
    private var owners: [Owner?] = []
    private var freeOwners: [Int] = []
    /// By the number of their entries: the owners that have so many.
    private var ranks: [Ends] = [Ends()]
    /// The largest number that an owner has.
    private var highest = 0

    package init(capacity: Int) { self.capacity = max(1, capacity) }

    package var count: Int { places.count }
    package var isEmpty: Bool { places.isEmpty }
    package var values: [Value] { entries.compactMap { $0?.value } }

    package subscript(key: Key) -> Value? { places[key].flatMap { entries[$0]?.value } }

    /// The value, which is used by that.
    package mutating func use(_ key: Key) -> Value? {
        guard let place = places[key], let entry = entries[place] else { return nil }
        detach(entry: place)
        attach(entry: place)
        promote(entry.owner, by: 0)
        return entry.value
    }

    /// Puts a value in, in place of the one with the same key.
    package mutating func insert(_ value: Value, forKey key: Key, of owner: String) {
        remove(key)
        if places.count >= capacity { removeOne() }
        let number = ownerPlace(owner)
        let entry = Entry(key: key, value: value, owner: number)
        let place: Int
        if let free = freeEntries.popLast() {
            place = free
            entries[free] = entry
        } else {
            place = entries.count
            entries.append(entry)
        }
        places[key] = place
        attach(entry: place)
        promote(number, by: 1)
    }

    @discardableResult
    package mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key), let entry = entries[place] else { return nil }
        detach(entry: place)
        entries[place] = nil
        freeEntries.append(place)
        promote(entry.owner, by: -1)
        return entry.value
    }

    private mutating func removeOne() {
        guard let owner = owners.indices.contains(ranks[highest].first) ? owners[ranks[highest].first] : nil,
            owner.members.first >= 0, let entry = entries[owner.members.first]
        else { return }
        remove(entry.key)
    }

    // MARK: Owners

    private mutating func ownerPlace(_ name: String) -> Int {
        if let place = ownerPlaces[name] { return place }
        let place: Int
        if let free = freeOwners.popLast() {
            place = free
            owners[free] = Owner(name: name)
        } else {
            place = owners.count
            owners.append(Owner(name: name))
        }
        ownerPlaces[name] = place
        return place
    }

    /// An owner is used, and has more or fewer entries than before. One that has none any more is forgotten.
    private mutating func promote(_ number: Int, by change: Int) {
        guard var owner = owners[number] else { return }
        if owner.count > 0 { unlink(owner: number) }
        owner.count += change
        owners[number]?.count = owner.count
        if owner.count > 0 {
            while ranks.count <= owner.count { ranks.append(Ends()) }
            link(owner: number)
            highest = max(highest, owner.count)
        } else {
            owners[number] = nil
            ownerPlaces[owner.name] = nil
            freeOwners.append(number)
        }
        // By one at most: the owner that had most has one less.
        while highest > 0, ranks[highest].first < 0 { highest -= 1 }
    }

    private mutating func link(owner number: Int) {
        guard let count = owners[number]?.count else { return }
        let last = ranks[count].last
        owners[number]?.links = Links(previous: last, next: -1)
        if last >= 0 { owners[last]?.links.next = number } else { ranks[count].first = number }
        ranks[count].last = number
    }

    private mutating func unlink(owner number: Int) {
        guard let owner = owners[number] else { return }
        let links = owner.links
        if links.previous >= 0 {
            owners[links.previous]?.links.next = links.next
        } else {
            ranks[owner.count].first = links.next
        }
        if links.next >= 0 {
            owners[links.next]?.links.previous = links.previous
        } else {
            ranks[owner.count].last = links.previous
        }
    }

    // MARK: Entries of an owner

    private mutating func attach(entry place: Int) {
        guard let number = entries[place]?.owner, let last = owners[number]?.members.last else { return }
        entries[place]?.links = Links(previous: last, next: -1)
        if last >= 0 { entries[last]?.links.next = place } else { owners[number]?.members.first = place }
        owners[number]?.members.last = place
    }

    private mutating func detach(entry place: Int) {
        guard let entry = entries[place] else { return }
        if entry.links.previous >= 0 {
            entries[entry.links.previous]?.links.next = entry.links.next
        } else {
            owners[entry.owner]?.members.first = entry.links.next
        }
        if entry.links.next >= 0 {
            entries[entry.links.next]?.links.previous = entry.links.previous
        } else {
            owners[entry.owner]?.members.last = entry.links.previous
        }
    }
}
