// SPDX-License-Identifier: MIT

/// A binary heap of indices into the scheduler's entries, the next to start at the top.
///
/// Every entry knows its place in the heap it is in, so removing one from the middle costs no search.
struct EntryHeap {
    private var items: [Int32] = []

    var isEmpty: Bool { items.isEmpty }

    /// The next to start.
    var first: Int? { items.first.map(Int.init) }

    mutating func insert(_ index: Int, _ entries: inout [SchedulerState.Entry]) {
        entries[index].heapIndex = Int32(items.count)
        items.append(Int32(index))
        siftUp(items.count - 1, &entries)
    }

    mutating func remove(_ index: Int, _ entries: inout [SchedulerState.Entry]) {
        let position = Int(entries[index].heapIndex)
        let last = items.removeLast()
        entries[index].heapIndex = -1
        guard position < items.count else { return }
        items[position] = last
        entries[Int(last)].heapIndex = Int32(position)
        update(Int(last), entries: &entries)
    }

    /// Moves an entry to its place after its key changed.
    mutating func update(_ index: Int, entries: inout [SchedulerState.Entry]) {
        siftUp(Int(entries[index].heapIndex), &entries)
        siftDown(Int(entries[index].heapIndex), &entries)
    }

    private mutating func siftUp(_ start: Int, _ entries: inout [SchedulerState.Entry]) {
        var position = start
        let item = items[position]
        while position > 0 {
            let parent = (position - 1) / 2
            guard entries[Int(item)].precedes(entries[Int(items[parent])]) else { break }
            items[position] = items[parent]
            entries[Int(items[position])].heapIndex = Int32(position)
            position = parent
        }
        items[position] = item
        entries[Int(item)].heapIndex = Int32(position)
    }

    private mutating func siftDown(_ start: Int, _ entries: inout [SchedulerState.Entry]) {
        var position = start
        let item = items[position]
        while true {
            var child = 2 * position + 1
            guard child < items.count else { break }
            if child + 1 < items.count, entries[Int(items[child + 1])].precedes(entries[Int(items[child])]) {
                child += 1
            }
            guard entries[Int(items[child])].precedes(entries[Int(item)]) else { break }
            items[position] = items[child]
            entries[Int(items[position])].heapIndex = Int32(position)
            position = child
        }
        items[position] = item
        entries[Int(item)].heapIndex = Int32(position)
    }
}
