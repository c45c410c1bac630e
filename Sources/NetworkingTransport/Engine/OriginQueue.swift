internal import NetworkingSupport

/// The transfers to one origin within one partition: how many are active, and which wait.
final class OriginQueue {
    /// A transfer in the waiting list: higher priority first, then first come, first served.
    private struct Waiter: Comparable {
        let transfer: Transfer
        let priority: Int
        let sequence: UInt64

        static func < (left: Waiter, right: Waiter) -> Bool {
            left.priority != right.priority ? left.priority > right.priority : left.sequence < right.sequence
        }
        static func == (left: Waiter, right: Waiter) -> Bool { left.sequence == right.sequence }
    }

    let partition: Partition
    var activeCount = 0
    private var waiters = PriorityHeap<Waiter>()
    private var nextSequence: UInt64 = 0
    /// Transfers that were cancelled while they waited and are still in `waiters`.
    private var cancelledCount = 0

    init(partition: Partition) { self.partition = partition }

    /// Transfers that wait for a slot.
    var waitingCount: Int { waiters.count - cancelledCount }

    var isIdle: Bool { activeCount == 0 && waitingCount == 0 }

    func insert(_ transfer: Transfer) {
        waiters.insert(Waiter(transfer: transfer, priority: transfer.request.priority, sequence: nextSequence))
        nextSequence += 1
    }

    /// The next transfer to become active.
    func next() -> Transfer? {
        while let waiter = waiters.removeFirst() {
            if waiter.transfer.phase == .waiting { return waiter.transfer }
            cancelledCount -= 1
        }
        return nil
    }

    /// Takes note that a waiting transfer has been finished. It leaves the list later, with others: O(1) on average.
    func noteCancelled() {
        cancelledCount += 1
        guard cancelledCount > 64, cancelledCount > waiters.count / 2 else { return }
        waiters.removeAll { $0.transfer.phase != .waiting }
        cancelledCount = 0
    }
}
