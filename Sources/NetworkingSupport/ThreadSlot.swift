// SPDX-License-Identifier: MIT
internal import Glibc
internal import Synchronization

/// An address for each thread, which the thread puts there and takes away again before it ends.
///
/// The system has room for about a thousand of these in a process, which other libraries may have taken: then the
/// addresses are in a table. That is slower, and nothing else is lost.
package final class ThreadSlot: Sendable {
    /// Nil: the system has no room.
    private let key: pthread_key_t?
    /// The addresses that the system has no room for, by thread.
    private let table = Locked<[UInt: UInt]>([:])
    /// True if the table was ever used.
    private let hasTable = Atomic<Bool>(false)

    /// - Parameter asksSystem: False, for tests: as if the system had no room.
    package init(asksSystem: Bool = true) {
        var key = pthread_key_t()
        self.key = asksSystem && pthread_key_create(&key, nil) == 0 ? key : nil
    }

    deinit {
        if let key { pthread_key_delete(key) }
    }

    /// The address of the calling thread; nil: none was set.
    package var address: UnsafeMutableRawPointer? {
        get {
            if let key, let address = pthread_getspecific(key) { return address }
            // What this thread has put there, it sees.
            guard hasTable.load(ordering: .relaxed) else { return nil }
            let thread = Self.thread
            return table.withLock { $0[thread] }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
        }
        set {
            // The system may want memory for the first address of a thread.
            let isKept = key.map { pthread_setspecific($0, newValue) == 0 } ?? false
            guard !isKept || hasTable.load(ordering: .relaxed) else { return }
            hasTable.store(true, ordering: .relaxed)
            let (thread, address) = (Self.thread, isKept ? nil : newValue.map { UInt(bitPattern: $0) })
            table.withLock { $0[thread] = address }
        }
    }

    private static var thread: UInt { UInt(pthread_self()) }
}
