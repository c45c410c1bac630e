// SPDX-License-Identifier: MIT
internal import Glibc
internal import NetworkingSupport

/// The threads that are calling blocks of the user's for a lane.
///
/// One that is never waits for the end of another's call, which might be waiting for this one's.
enum DeliveryThread {
    private static let threads = Locked<[UInt: Int]>([:])

    static var isCurrent: Bool {
        let thread = identifier
        return threads.withLock { $0[thread] != nil }
    }

    private static var identifier: UInt { UInt(pthread_self()) }

    /// Calls blocks, and opens the latch.
    static func deliver(until end: Latch, _ body: () -> Void) {
        let thread = identifier
        threads.withLock { $0[thread, default: 0] += 1 }
        body()
        threads.withLock { threads in
            let depth = threads[thread, default: 1] - 1
            threads[thread] = depth > 0 ? depth : nil
        }
        end.open()
    }
}
