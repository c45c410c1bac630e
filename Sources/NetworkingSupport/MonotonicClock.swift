// SPDX-License-Identifier: MIT
internal import Glibc

/// The clock that deadlines are kept in: monotonic, in nanoseconds.
package enum MonotonicClock {
    /// Nanoseconds since an arbitrary moment; never goes back.
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
