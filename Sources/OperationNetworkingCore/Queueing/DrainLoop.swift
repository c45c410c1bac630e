// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// Runs the work of queues on this thread, one action after the other.
///
/// Starting an operation may finish it, and finishing it makes others startable: what comes up while an action runs is
/// left to the loop that runs it, so that a chain of any length needs no stack.
enum DrainLoop {
    /// Queues that got work while a loop was running on this thread.
    private struct Backlog {
        var queues: [RequestOperationQueue] = []
    }

    /// The slot in which each thread keeps the address of its loop's backlog.
    private static let slot = ThreadSlot()

    /// Does what the queue has to do, now or, inside another loop of this thread, as soon as the action under way
    /// returns.
    static func run(_ queue: RequestOperationQueue) {
        if let outer = slot.address?.assumingMemoryBound(to: Backlog.self) {
            if !outer.pointee.queues.contains(where: { $0 === queue }) { outer.pointee.queues.append(queue) }
        } else {
            runNow(queue)
        }
    }

    /// Does what the queue has to do before it returns, even inside another loop: for a thread that is about to wait.
    static func runNow(_ queue: RequestOperationQueue) {
        let outer = slot.address
        defer { slot.address = outer }
        var backlog = Backlog(queues: [queue])
        withUnsafeMutablePointer(to: &backlog) { backlog in
            slot.address = UnsafeMutableRawPointer(backlog)
            while let queue = backlog.pointee.queues.popLast() {
                while let action = queue.nextAction() { queue.perform(action) }
            }
        }
    }
}
