// SPDX-License-Identifier: MIT
internal import Glibc
internal import NetworkingSupport
internal import Synchronization

/// Keeps network threads out of the C libraries while the process ends and these free themselves.
extension NetworkThread {
    /// Milliseconds that the end of the process waits for a thread to come out of them.
    private static let patience = 2000

    /// Set for good when the process ends.
    private static let isProcessEnding = Atomic<Bool>(false)

    /// The threads that run.
    private static let running = Locked<[ObjectIdentifier: NetworkThread]>([:])

    func noteRunning() { Self.running.withLock { $0[ObjectIdentifier(self)] = self } }

    func noteStopped() { Self.running.withLock { $0[ObjectIdentifier(self)] = nil } }

    /// Runs a pass, unless the process ends: then the thread stays here.
    func pass(_ body: () -> Void) {
        // Both orders are sequentially consistent: either the end sees that this thread is inside, or this thread sees
        // the end.
        isInside.store(true, ordering: .sequentiallyConsistent)
        if Self.isProcessEnding.load(ordering: .sequentiallyConsistent) { park() }
        body()
        isInside.store(false, ordering: .releasing)
    }

    /// Parks the thread if the process ends: stops a pass that finds ever more to do. On the thread itself, outside of
    /// the C libraries.
    func parkIfProcessEnds() {
        if Self.isProcessEnding.load(ordering: .relaxed) { park() }
    }

    private func park() {
        isInside.store(false, ordering: .sequentiallyConsistent)
        while true { _ = pause() }
    }

    /// True if threads have been, or are about to be, parked.
    static var isParking: Bool { isProcessEnding.load(ordering: .relaxed) }

    /// Returns when no network thread is inside a pass, nor will enter one; or after a while, because a process that
    /// ends must not hang. `exit` may have been called on a network thread, which then is inside and does nothing else.
    static func parkAll() {
        let threads = running.withLock { Array($0.values) }
        isProcessEnding.store(true, ordering: .sequentiallyConsistent)
        var left = patience
        for thread in threads where !thread.isCurrent {
            while left > 0, thread.isInside.load(ordering: .sequentiallyConsistent) {
                left -= 1
                usleep(1000)
            }
        }
    }
}
