// SPDX-License-Identifier: MIT
import NetworkingSupport
import Testing

@Suite("A cache with a limit on costs")
struct CostBoundCacheTests {
    /// The same, slow and simple.
    private struct Model {
        var entries: [(key: Int, value: Int, cost: Int)] = []
        let capacity: Int
        let preferred: Int
        var total: Int { entries.reduce(0) { $0 + $1.cost } }

        mutating func value(_ key: Int) -> Int? {
            guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
            entries.append(entries.remove(at: index))
            return entries.last?.value
        }

        mutating func insert(_ key: Int, _ value: Int, _ cost: Int) {
            entries.removeAll { $0.key == key }
            guard cost <= capacity else { return }
            entries.append((key, value, cost))
            guard total > capacity else { return }
            while total > preferred, entries.count > 1 { entries.removeFirst() }
        }
    }

    @Test("Whatever is done, it has what a simple list would have, in its order")
    func model() {
        var random = SeededRandom(seed: 3)
        for round in 0..<60 {
            let capacity = Int.random(in: 0...60, using: &random)
            let preferred = Int.random(in: -5...70, using: &random)
            var cache = CostBoundCache<Int, Int>(capacity: capacity, preferredCostAfterPurge: preferred)
            var model = Model(capacity: capacity, preferred: min(max(preferred, 0), capacity))
            for step in 0..<300 {
                let key = Int.random(in: 0..<12, using: &random)
                switch Int.random(in: 0..<20, using: &random) {
                case 0..<9:
                    let cost = Int.random(in: 0..<20, using: &random)
                    let before = cache.count + (cache.keys.contains(key) ? 0 : 1)
                    let removed = cache.insert(step, forKey: key, cost: cost)
                    model.insert(key, step, cost)
                    let replaced = before - cache.count + (before == cache.count + removed.count ? 0 : 1)
                    #expect(removed.count == replaced)
                case 9..<17: #expect(cache.value(forKey: key) == model.value(key))
                case 17..<19:
                    #expect((cache.removeValue(forKey: key) != nil) == model.entries.contains { $0.key == key })
                    model.entries.removeAll { $0.key == key }
                default:
                    if Int.random(in: 0..<10, using: &random) == 0 {
                        #expect(cache.removeAll().count == model.entries.count)
                        model.entries = []
                    }
                }
                #expect(cache.keys == model.entries.map(\.key), "round \(round), step \(step)")
                #expect(cache.totalCost == model.total && cache.count == model.entries.count)
            }
        }
    }

    @Test("Costs that no Int can hold together are too much, and nothing overflows")
    func overflow() {
        var cache = CostBoundCache<Int, Int>(capacity: .max, preferredCostAfterPurge: .max)
        _ = cache.insert(1, forKey: 1, cost: .max)
        let removed = cache.insert(2, forKey: 2, cost: .max)
        #expect(cache.totalCost <= .max && cache.value(forKey: 2) == 2)
        _ = removed
        _ = cache.removeAll()
        _ = cache.insert(1, forKey: 1, cost: -5)
        #expect(cache.totalCost == 0)
    }

    @Test("A smaller capacity lets go of what was used least recently, at once")
    func smaller() {
        var cache = CostBoundCache<Int, Int>(capacity: 10, preferredCostAfterPurge: 10)
        for number in 1...5 { #expect(cache.insert(number, forKey: number, cost: 2) == []) }
        #expect(cache.value(forKey: 1) == 1)
        #expect(cache.setCapacity(5) == [2, 3, 4])
        #expect(cache.keys == [5, 1] && cache.totalCost == 4)
        #expect(cache.setCapacity(0) == [5, 1])
        #expect(cache.insert(6, forKey: 6, cost: 1) == [6])
    }
}
