// SPDX-License-Identifier: MIT
import Glibc

/// Seconds of processor time that this thread needs for some work: what a loaded machine does to the clock does not
/// count.
package func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let begin = now()
    try body()
    return now() - begin
}
