import NetworkingSupport
import Testing

@Suite("Priority heap", .timeLimit(.minutes(1)))
struct PriorityHeapTests {
    @Test("Elements leave in order", arguments: [0, 1, 2, 3, 10, 1000])
    func order(count: Int) {
        var heap = PriorityHeap<Int>()
        for element in (0..<count).shuffled() { heap.insert(element) }
        #expect(heap.count == count)
        var left: [Int] = []
        while let element = heap.removeFirst() { left.append(element) }
        #expect(left == Array(0..<count))
        #expect(heap.isEmpty)
    }

    @Test("Removing many at once keeps the order of the rest")
    func removeAll() {
        var heap = PriorityHeap<Int>()
        for element in (0..<1000).shuffled() { heap.insert(element) }
        heap.removeAll { $0 % 3 != 0 }
        var left: [Int] = []
        while let element = heap.removeFirst() { left.append(element) }
        #expect(left == Array(stride(from: 0, to: 1000, by: 3)))
    }
}
