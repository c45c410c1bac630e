// SPDX-License-Identifier: MIT
package import Glibc

/// A lock that its owner may take again: what an operation, whose overridable getters enter it, is guarded by.
///
/// A recursive pthread mutex, in two allocations: `NSRecursiveLock` takes five, and thousands of operations wait in a
/// queue.
// Sendable because `mutex` is immutable, and what it points to is made for many threads.
package final class RecursiveLock: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the lock held.
    @inlinable
    package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        #if DEBUG
            CriticalSections.enter()
        #endif
        defer {
            pthread_mutex_unlock(mutex)
            #if DEBUG
                CriticalSections.leave()
            #endif
        }
        return try body()
    }
}
