// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// Ends and begins operations that are in no queue, as `DrainLoop` does for those in one.
///
/// The end of an operation may start another inside it, which may end at once, and so on down a chain. Up to a limit
/// each comes inside the one before, so that what an operation brings about has happened when it returns. A deeper call
/// is left to the innermost call within the limit, so that a chain of any length needs no more stack.
enum CallChain {
    /// The calls under way on a thread.
    private struct Calls {
        var depth = 0
        /// The calls that came up at the limit.
        var backlog: [() -> Void] = []
    }

    /// The number of calls that may be inside one another.
    static let limit = 8

    /// The slot in which each thread keeps the address of its calls.
    private static let slot = ThreadSlot()

    /// Calls `body`, now or, deep inside other calls of this thread, as soon as one of them returns.
    static func run(_ body: @escaping () -> Void) {
        if let calls = slot.address?.assumingMemoryBound(to: Calls.self) {
            run(body, in: calls)
        } else {
            var calls = Calls()
            withUnsafeMutablePointer(to: &calls) { calls in
                slot.address = UnsafeMutableRawPointer(calls)
                defer { slot.address = nil }
                run(body, in: calls)
            }
        }
    }

    private static func run(_ body: @escaping () -> Void, in calls: UnsafeMutablePointer<Calls>) {
        guard calls.pointee.depth < limit else { return calls.pointee.backlog.append(body) }
        calls.pointee.depth += 1
        body()
        while calls.pointee.depth == limit, !calls.pointee.backlog.isEmpty {
            var bodies: [() -> Void] = []
            swap(&bodies, &calls.pointee.backlog)
            for body in bodies { body() }
        }
        calls.pointee.depth -= 1
    }
}
