// SPDX-License-Identifier: MIT
public import Glibc

// Sendable because the value is touched only with the mutex held, and only values that may change threads get in.
/// A value behind a mutex: reachable only inside `withLock`.
///
/// A pthread mutex: ThreadSanitizer understands it, which it does not of `Synchronization.Mutex` on Linux. In debug
/// builds it stops a program that locks it twice on one thread; in others it waits a moment for a thread that is about
/// to unlock it before it goes to sleep, since critical sections are short.
///
/// The value has a size: ThreadSanitizer takes the use of one without for a race.
///
/// Nothing is called out of `withLock`: no completion, no delegate, no notification, no command to the engine.
///
/// Public, in a module that no product shows: the compiler gives another module no body of what is `package`,
/// `@inlinable` or not, and as a generic function, with value and result by way of memory, `withLock` costs more than
/// what is done in it.
public struct Locked<Value>: @unchecked Sendable {
    @usableFromInline let storage: LockedStorage<Value>

    /// Puts a value behind a new mutex.
    @inlinable
    public init(_ value: consuming sending Value) {
        assert(MemoryLayout<Value>.size > 0, "Locked needs a value with a size: say, the number of changes")
        storage = LockedStorage.make(value)
    }

    /// Runs `body` with exclusive access to the value.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let (value, mutex) = storage.withUnsafeMutablePointers { ($0, $1) }
        let code = pthread_mutex_lock(mutex)
        precondition(code == 0, "Locked was entered twice by one thread")
        #if DEBUG
            CriticalSections.enter()
        #endif
        defer {
            pthread_mutex_unlock(mutex)
            // The pointers are good for as long.
            withExtendedLifetime(storage) {}
            #if DEBUG
                CriticalSections.leave()
            #endif
        }
        return try body(&value.pointee)
    }
}

/// The value of a `Locked` and its mutex, in one allocation, where both have addresses that stay.
@usableFromInline
final class LockedStorage<Value>: ManagedBuffer<Value, pthread_mutex_t> {
    @inlinable
    static func make(_ value: sending Value) -> LockedStorage {
        let buffer = create(minimumCapacity: 1) { _ in value }
        buffer.withUnsafeMutablePointerToElements { initializeMutex($0) }
        return unsafeDowncast(buffer, to: LockedStorage.self)
    }

    deinit {
        withUnsafeMutablePointerToElements { _ = pthread_mutex_destroy($0) }
    }
}

@usableFromInline
func initializeMutex(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) {
    #if DEBUG
        initialize(mutex, PTHREAD_MUTEX_ERRORCHECK)
    #else
        initialize(mutex, PTHREAD_MUTEX_ADAPTIVE_NP)
    #endif
}

/// - Parameter kind: a `PTHREAD_MUTEX_…`.
func initialize(_ mutex: UnsafeMutablePointer<pthread_mutex_t>, _ kind: some BinaryInteger) {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(kind))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
}
