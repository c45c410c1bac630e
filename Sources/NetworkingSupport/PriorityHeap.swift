/// A binary heap: the smallest element is at the front; insertion and removal are O(log n).
package struct PriorityHeap<Element: Comparable> {
    private var elements: [Element] = []

    package init() {}

    package var count: Int { elements.count }
    package var isEmpty: Bool { elements.isEmpty }
    package var first: Element? { elements.first }

    package mutating func insert(_ element: Element) {
        elements.append(element)
        siftUp(from: elements.count - 1)
    }

    /// Removes and returns the smallest element.
    package mutating func removeFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        siftDown(from: 0)
        return first
    }

    /// Removes every element for which `shouldRemove` holds, in O(n).
    package mutating func removeAll(where shouldRemove: (Element) -> Bool) {
        elements.removeAll(where: shouldRemove)
        for index in stride(from: elements.count / 2 - 1, through: 0, by: -1) { siftDown(from: index) }
    }

    private mutating func siftUp(from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard elements[index] < elements[parent] else { return }
            elements.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var index = start
        while true {
            var smallest = index
            let left = 2 * index + 1
            let right = left + 1
            if left < elements.count, elements[left] < elements[smallest] { smallest = left }
            if right < elements.count, elements[right] < elements[smallest] { smallest = right }
            guard smallest != index else { return }
            elements.swapAt(index, smallest)
            index = smallest
        }
    }
}

extension PriorityHeap: Sendable where Element: Sendable {}
