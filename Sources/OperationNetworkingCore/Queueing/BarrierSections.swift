// SPDX-License-Identifier: MIT

/// The stretches of the queue between barriers: an operation belongs to the one it arrived in, and only the first
/// section's operations start.
struct BarrierSections {
    private struct Section {
        /// Operations that have not finished.
        var open = 0
        /// True if a barrier closes the section. False for the last one.
        var hasBarrier = false
        /// The barrier's block: nil when it was cancelled or has begun.
        var block: (@Sendable () -> Void)?
    }

    /// The first section, and those behind it.
    private var first = Section()
    private var rest: [Section] = []
    private var head = 0

    /// The number of the first section.
    private(set) var current: UInt32 = 0
    private(set) var isBarrierRunning = false

    /// True while any barrier is pending or running.
    var hasBarrier: Bool { first.hasBarrier }
    /// True if everything before the first barrier has finished, and the barrier has not begun.
    var isBarrierDue: Bool { first.hasBarrier && first.open == 0 && !isBarrierRunning }

    /// True if the first barrier was cancelled: then it needs no turn to end.
    var isBarrierCancelled: Bool { first.hasBarrier && first.block == nil && !isBarrierRunning }

    /// An operation arrives; returns the number of its section.
    mutating func enter() -> UInt32 {
        guard first.hasBarrier else {
            first.open += 1
            return current
        }
        rest[rest.count - 1].open += 1
        return current &+ UInt32(truncatingIfNeeded: rest.count - head)
    }

    /// An operation finished.
    mutating func leave(_ section: UInt32) {
        let offset = Int(section &- current)
        if offset == 0 { first.open -= 1 } else { rest[head + offset - 1].open -= 1 }
    }

    mutating func add(_ block: @escaping @Sendable () -> Void) {
        let closed = { (section: inout Section) in
            section.hasBarrier = true
            section.block = block
        }
        if first.hasBarrier { closed(&rest[rest.count - 1]) } else { closed(&first) }
        rest.append(Section())
    }

    /// The first barrier runs; returns its block.
    mutating func beginBarrier() -> (@Sendable () -> Void)? {
        isBarrierRunning = true
        return first.block.take()
    }

    /// The barrier ended: the next section is the first.
    mutating func endBarrier() {
        isBarrierRunning = false
        first = rest[head]
        rest[head] = Section()
        head += 1
        if head == rest.count {
            rest.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 64, head * 2 > rest.count {
            rest.removeFirst(head)
            head = 0
        }
        current &+= 1
    }

    /// Takes the blocks of all barriers that have not begun.
    mutating func cancelAll() -> [@Sendable () -> Void] {
        var blocks: [@Sendable () -> Void] = []
        if let block = first.block.take() { blocks.append(block) }
        for index in head..<rest.count {
            if let block = rest[index].block.take() { blocks.append(block) }
        }
        return blocks
    }
}
