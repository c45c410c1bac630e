// SPDX-License-Identifier: MIT
import NetworkingSupport
import Testing

@Suite("A table of which nobody gets another's part out", .timeLimit(.minutes(1))) struct FairTableTests {
    @Test("Who has most loses what was used longest ago; of equals, who was")
    func victims() {
        var table = FairTable<String, Int>(capacity: 4)
        for (key, owner) in [("a", "A"), ("b1", "B"), ("b2", "B"), ("c", "C")] {
            table.insert(1, forKey: key, of: owner)
        }
        table.insert(2, forKey: "d", of: "D")
        #expect(table["b1"] == nil && table["b2"] == 1 && table["d"] == 2 && table.count == 4)
        // All have one: A's is the oldest, unless it is used. Of B one has just been taken.
        #expect(table.use("a") == 1)
        table.insert(3, forKey: "e", of: "E")
        #expect(table["c"] == nil && table["a"] == 1 && table["b2"] == 1)
        table.insert(4, forKey: "a", of: "A")
        #expect(table["a"] == 4 && table.count == 4)
        #expect(table.remove("a") == 4 && table.remove("a") == nil && table.use("a") == nil && table.count == 3)
        #expect(table.values.sorted() == [1, 2, 3])
    }

    @Test("Whatever happens, it is what a plain list would be")
    func model() {
        var random = SeededRandom(seed: 7)
        var table = FairTable<Int, Int>(capacity: 20)
        /// Used longest ago first.
        var model: [(key: Int, value: Int)] = []
        /// When something of an owner was put in, used or taken out.
        var (touches, clock) = ([Int: Int](), 0)
        func owner(_ key: Int) -> Int { key % 7 }
        func touch(_ key: Int) {
            clock += 1
            touches[owner(key)] = clock
        }
        func takeOut(_ key: Int) {
            guard let index = model.firstIndex(where: { $0.key == key }) else { return }
            model.remove(at: index)
            touch(key)
        }
        for step in 0..<20_000 {
            let key = random.below(60)
            switch random.below(10) {
            case 0..<6:
                takeOut(key)
                if model.count == 20 {
                    let counts = Dictionary(grouping: model) { owner($0.key) }.mapValues(\.count)
                    let most = counts.values.max()
                    let victim = counts.keys.filter { counts[$0] == most }
                        .min { touches[$0, default: 0] < touches[$1, default: 0] }
                    if let first = model.first(where: { owner($0.key) == victim }) { takeOut(first.key) }
                }
                model.append((key, step))
                touch(key)
                table.insert(step, forKey: key, of: "\(owner(key))")
            case 6..<8:
                let value = model.first { $0.key == key }?.value
                if let value {
                    model.removeAll { $0.key == key }
                    model.append((key, value))
                    touch(key)
                }
                #expect(table.use(key) == value)
            default:
                takeOut(key)
                table.remove(key)
            }
            guard table.count == model.count, model.allSatisfy({ table[$0.key] == $0.value }) else {
                Issue.record("step \(step): \(model)")
                return
            }
        }
    }
}
