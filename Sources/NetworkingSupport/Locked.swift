// SPDX-License-Identifier: MIT
package import Glibc

/// A value behind a mutex: reachable only inside `withLock`.
///
/// A pthread mutex: ThreadSanitizer understands it, which it does not of `Synchronization.Mutex` on Linux. In debug builds
/// it stops a program that locks it twice on one thread; in others it waits a moment for a thread that is about to
/// unlock it before it goes to sleep, since critical sections are short.
///
/// The value has a size: one without shares the address of the object, of which ThreadSanitizer takes its use for a race.
///
/// Nothing is called out of `withLock`: no completion, no delegate, no notification, no command to the engine.
// Sendable because `value` is touched only with `mutex` held, and only values that may change threads get in.
package final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Guarded by `mutex`, which also makes every access exclusive: no need for a check of that each time.
    @exclusivity(unchecked) @usableFromInline var value: Value

    package init(_ value: consuming sending Value) {
        assert(MemoryLayout<Value>.size > 0, "Locked needs a value with a size: say, the number of changes")
        self.value = value
        mutex = .allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        #if DEBUG
            pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
        #else
            pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
        #endif
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the value.
    ///
    /// Inlinable so that other modules get it specialized for the value and the body.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let code = pthread_mutex_lock(mutex)
        precondition(code == 0, "Locked was entered twice by one thread")
        #if DEBUG
            CriticalSections.enter()
        #endif
        defer {
            pthread_mutex_unlock(mutex)
            #if DEBUG
                CriticalSections.leave()
            #endif
        }
        return try body(&value)
    }
}
