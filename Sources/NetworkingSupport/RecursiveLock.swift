// SPDX-License-Identifier: MIT
public import Glibc

// Sendable because `mutex` is immutable, and what it points to is made for many threads.
/// A lock that its owner may take again: what an operation, whose overridable getters enter it, is guarded by.
///
/// A recursive pthread mutex, in two allocations: `NSRecursiveLock` takes five, and thousands of operations wait in a
/// queue. Public for the reason that `Locked` is.
public final class RecursiveLock: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Makes a lock that is not held.
    public init() {
        mutex = .allocate(capacity: 1)
        initialize(mutex, PTHREAD_MUTEX_RECURSIVE)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the lock held.
    @inlinable
    public func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
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
