// SPDX-License-Identifier: MIT
internal import Foundation

/// What this process has used so far.
enum ProcessUsage {
    /// Processor time in user and kernel mode, of all threads.
    static var cpuSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return Double(seconds) + Double(microseconds) / 1e6
    }

    /// Resident memory now.
    static var residentKiB: Double { statusField("VmRSS:") }

    /// The most memory that was resident, since the start or `resetPeak()`.
    static var peakKiB: Double { statusField("VmHWM:") }

    /// Makes `peakKiB` start over from what is resident now.
    static func resetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    static var threads: Double { statusField("Threads:") }

    private static func statusField(_ name: String) -> Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return .nan }
        for line in status.split(separator: "\n") where line.hasPrefix(name) {
            return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? .nan
        }
        return .nan
    }
}

/// Seconds on the monotonic clock.
func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
