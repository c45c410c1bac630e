// SPDX-License-Identifier: MIT

/// A binary heap, the smallest element in front, whose elements can also be taken out of its middle: insertion gives a
/// ticket for that. Everything is O(log n).
struct IndexedHeap<Element: Comparable> {
    private struct Node {
        let element: Element
        let ticket: Int
    }
    private var nodes: [Node] = []
    /// By ticket: the index of the element in `nodes`; -1: the ticket is free.
    private var positions: [Int] = []
    private var freeTickets: [Int] = []

    var count: Int { nodes.count }
    var isEmpty: Bool { nodes.isEmpty }
    /// The smallest element.
    var first: Element? { nodes.first?.element }

    /// Inserts an element and returns its ticket, which is valid until the element has left.
    mutating func insert(_ element: Element) -> Int {
        let ticket: Int
        if let free = freeTickets.popLast() {
            ticket = free
        } else {
            ticket = positions.count
            positions.append(-1)
        }
        nodes.append(Node(element: element, ticket: ticket))
        positions[ticket] = nodes.count - 1
        siftUp(from: nodes.count - 1)
        return ticket
    }

    /// Removes and returns the smallest element.
    mutating func removeFirst() -> Element? {
        guard let first = nodes.first else { return nil }
        return remove(first.ticket)
    }

    /// Removes and returns the element of a ticket; nil: it has left.
    mutating func remove(_ ticket: Int) -> Element? {
        guard positions.indices.contains(ticket), positions[ticket] >= 0, let last = nodes.popLast() else { return nil }
        let index = positions[ticket]
        positions[ticket] = -1
        freeTickets.append(ticket)
        if nodes.isEmpty { forgetTickets() }
        guard last.ticket != ticket else { return last.element }
        let removed = nodes[index].element
        place(last, at: index)
        siftUp(from: index)
        siftDown(from: positions[last.ticket])
        return removed
    }

    /// Frees the memory that a long list has taken.
    private mutating func forgetTickets() {
        guard positions.count > 64 else { return }
        nodes = []
        positions = []
        freeTickets = []
    }

    private mutating func siftUp(from start: Int) {
        let node = nodes[start]
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard node.element < nodes[parent].element else { break }
            place(nodes[parent], at: index)
            index = parent
        }
        place(node, at: index)
    }

    private mutating func siftDown(from start: Int) {
        let node = nodes[start]
        var index = start
        while true {
            var child = 2 * index + 1
            guard child < nodes.count else { break }
            if child + 1 < nodes.count, nodes[child + 1].element < nodes[child].element { child += 1 }
            guard nodes[child].element < node.element else { break }
            place(nodes[child], at: index)
            index = child
        }
        place(node, at: index)
    }

    private mutating func place(_ node: Node, at index: Int) {
        nodes[index] = node
        positions[node.ticket] = index
    }
}
