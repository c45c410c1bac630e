// SPDX-License-Identifier: MIT
#if DEBUG
    /// Lets a simulation interleave: called at every critical section's end, on a thread that holds no lock of ours.
    ///
    /// Present in debug builds only, and without effect unless a simulation, which has one thread, installed a handler
    /// before anything else ran.
    public enum CriticalSections {
        /// Called after each outermost critical section of a lock of ours.
        nonisolated(unsafe) public static var didLeave: (() -> Void)?
        /// Locks that the simulation's one thread holds. Counted only with a handler.
        nonisolated(unsafe) private static var depth = 0

        /// A lock was taken.
        @inlinable
        public static func enter() {
            if didLeave != nil { countEntry() }
        }

        /// A lock was given back.
        @inlinable
        public static func leave() {
            if didLeave != nil { countExit() }
        }

        @usableFromInline
        static func countEntry() { depth += 1 }

        @usableFromInline
        static func countExit() {
            depth -= 1
            if depth == 0 { didLeave?() }
        }
    }
#endif
