// SPDX-License-Identifier: MIT

/// Numbers in the order in which they were appended; each can be taken out, in O(1).
struct RecencyList {
    private struct Node {
        var previous = -1
        var next = -1
        var isIn = false
    }
    /// By number.
    private var nodes: [Node] = []
    private var firstNumber = -1
    private var lastNumber = -1
    private(set) var count = 0

    /// The number that has been in the list for longest.
    var first: Int? { firstNumber < 0 ? nil : firstNumber }

    /// Puts a number at the end; one that is in the list stays where it is.
    mutating func append(_ number: Int) {
        guard number >= 0 else { return }
        while nodes.count <= number { nodes.append(Node()) }
        guard !nodes[number].isIn else { return }
        nodes[number] = Node(previous: lastNumber, next: -1, isIn: true)
        if lastNumber >= 0 { nodes[lastNumber].next = number } else { firstNumber = number }
        lastNumber = number
        count += 1
    }

    mutating func remove(_ number: Int) {
        guard nodes.indices.contains(number), nodes[number].isIn else { return }
        let node = nodes[number]
        if node.previous >= 0 { nodes[node.previous].next = node.next } else { firstNumber = node.next }
        if node.next >= 0 { nodes[node.next].previous = node.previous } else { lastNumber = node.previous }
        nodes[number] = Node()
        count -= 1
    }
}
